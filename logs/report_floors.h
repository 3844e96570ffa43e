/* Peers that were timed in a process of their own, levelled with the kernels. Formats nothing. */
#ifndef ASSAY_LOGS_REPORT_FLOORS_H
#define ASSAY_LOGS_REPORT_FLOORS_H

#include "report_model.h"

/* A cold time contains what an empty kernel takes between the same events, and that belongs to the process: by up to a microsecond torch's
 * differs from the kernels' own. Where both are known and differ by more than two ticks of the events' clock, the cold figures of a peer are
 * moved by the difference, to what they would be in the kernels' process (docs/measurement.md has the evidence), and the entry's
 * floor_shift_us says by how much. Without memory for it, nothing is moved. */
void report_level_floors(report_model *model);

#endif
