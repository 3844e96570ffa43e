/* When two floors differ: one rule for comparisons, reports and the dashboard. */
#ifndef ASSAY_CORE_FLOOR_RULE_H
#define ASSAY_CORE_FLOOR_RULE_H

/* Two ticks of the clock of GPU events, by which the median of an empty kernel may be off on each side by chance. In microseconds. */
#define FLOOR_NOISE_US 0.064

/* The same where one side is a peer. Results of torch and Triton from November 2026 carry a floor of their own process, that of a kernel which
 * reads the clock. Within seconds it differed by up to 0.5 us, from the kernels' floor by up to 0.58, and had nothing to do with their times
 * (docs/measurement.md). Hosts differ by more. */
#define FLOOR_NOISE_PEER_US 0.6

/* What to add to a cold time that was taken where an empty kernel takes `from_us`, to have it as if taken where it takes `to_us`. 0 where
 * either is unknown (not a positive number) or they do not differ by more than `noise_us`. docs/measurement.md has the evidence. */
double floor_shift_us(double from_us, double to_us, double noise_us);

#endif
