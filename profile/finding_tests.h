/* The tests behind the table of findings.c: each looks at a kernel's metrics and says how severe its condition is. */
#ifndef ASSAY_PROFILE_FINDING_TESTS_H
#define ASSAY_PROFILE_FINDING_TESTS_H

#include "profile/finding.h"

typedef double finding_test(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT]);

extern finding_test finding_bytes_per_sector, finding_bank_conflicts, finding_local_memory, finding_spills,
    finding_divergence, finding_atomics, finding_stall, finding_low_occupancy, finding_occupancy_gap,
    finding_small_grid, finding_tail, finding_unequal, finding_pipe_busy, finding_issue_busy,
    finding_extra_bytes, finding_few_bytes_in_flight, finding_at_the_limit, finding_at_measured_limit,
    finding_compute_limit, finding_counted_sectors, finding_read_again, finding_narrow_accesses,
    finding_l2_traffic, finding_l1_traffic, finding_short_kernel;

#endif
