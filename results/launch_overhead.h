/* Launch overhead, the time of an empty kernel: when that of two results differs by more than chance, and
 * by how much a time is corrected. One rule for comparison, reports and the dashboard. */
#ifndef ASSAY_RESULTS_LAUNCH_OVERHEAD_H
#define ASSAY_RESULTS_LAUNCH_OVERHEAD_H

#include "results/result.h"

/* Two ticks of the clock of GPU events, by which the median of an empty kernel may be off on each side by
 * chance. */
#define OVERHEAD_NOISE_US 0.064

/* By how much the overheads of a baseline and of a kernel may differ and mean nothing: processes on one
 * H100 are of two kinds, 0.13 us apart in this and in every short launch, and 0.07 lie within one kind.
 * docs/measurement.md has the evidence. */
#define OVERHEAD_NOISE_OF_BASELINE_US 0.1

/* What to add to a cold time that was taken where an empty kernel takes `from_us`, to have it as if taken
 * where it takes `to_us`. 0 where either is unknown (not a positive number) or they do not differ by more
 * than `noise_us`. */
double overhead_shift_us(double from_us, double to_us, double noise_us);

#endif
