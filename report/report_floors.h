/* Peers that were timed in another process than the kernels, or on another host, levelled with them. Formats nothing. */
#ifndef ASSAY_LOGS_REPORT_FLOORS_H
#define ASSAY_LOGS_REPORT_FLOORS_H

#include "report/report_model.h"

/* A cold time contains what an empty kernel takes between the same events, and that belongs to the process (by some 0.13 us) and to the
 * host (by up to 1.2 us so far). torch has a process of its own, and kernels may have been timed again since, elsewhere. Where both floors are
 * known and differ by more than floor_noise_of_peer_us(), the cold figures of a peer are moved by the difference, to what they would be where
 * the fastest kernel was timed, of those of the peer's method (docs/measurement.md has the evidence), and
 * the entry's floor_shift_us says by how much. The entries are sorted and know their methods. */
void report_level_floors(report_model *model);

#endif
