/* One repetition of a candidate of a group. Only the files of a group include this header. */
#ifndef ASSAY_BENCH_GROUP_REPETITIONS_H
#define ASSAY_BENCH_GROUP_REPETITIONS_H

#include "bench/run/group_candidates.h"
#include "bench/timing/protocol.h"

/* What the group's method makes of a mode. */
protocol group_protocol(const group *g, timing_mode mode);

/* A record for the mode, which the calls below fill; and that record. */
mode_record *group_start_mode(group_candidate *c, timing_mode mode);
mode_record *group_current_mode(group_candidate *c);

/* Take one and add it to the record; while the card throttles it is taken again, as long as repeats are left. Cuts c->repetitions if
 * another one would exceed the bound. */
assay_status group_take_repetition(group *g, group_candidate *c, timing_mode mode, assay_error *error);

/* The output of the candidate's last repetition must be right, and a kernel must make it anew over a corrupted one. ASSAY_ERR_CHECK: it is not. */
assay_status group_check_output(group *g, group_candidate *c, timing_mode mode, assay_error *error);
/* Once a candidate, behind a repetition of launches one by one: contents that it has never met. ASSAY_ERR_CHECK: the output is wrong. */
assay_status group_check_fresh(group *g, group_candidate *c, timing_mode mode, assay_error *error);
/* The same after all repetitions of the mode, on one more launch. ASSAY_OK also when the candidate was taken out. */
assay_status group_check_afterwards(group *g, group_candidate *c, timing_mode mode, assay_error *error);

/* Take the candidate out of the mode (ASSAY_ERR_UNSUPPORTED) or of the group, with `failure` as reason. ASSAY_OK unless the device has
 * stopped working. */
assay_status group_settle_failure(group *g, group_candidate *c, assay_status status,
                                  const assay_error *failure, assay_error *error);

#endif
