/* When two floors differ: one rule for comparisons, reports and the dashboard. */
#ifndef ASSAY_CORE_FLOOR_RULE_H
#define ASSAY_CORE_FLOOR_RULE_H

#include <jansson.h>

/* Two ticks of the clock of GPU events, by which the median of an empty kernel may be off on each side by chance. In microseconds. */
#define FLOOR_NOISE_US 0.064

/* By how much the floors of a peer and of a kernel may differ and yet mean nothing, in microseconds. `method` is that of the peer's result.
 * With `cold_rotation` both are of the same empty kernel, each in its own process: processes on H100s are of two kinds, some 0.13 apart in this
 * and in every short launch, and 0.07 lie within one kind. Older results of torch and Triton carry the floor of a kernel which reads the clock;
 * within seconds it differed by up to 0.5, from the kernels' floor by up to 0.58, and had nothing to do with their times. Hosts differ by
 * more. docs/measurement.md has the evidence. */
double floor_noise_of_peer_us(const json_t *method);
/* Whether cold launches went round the copies of the buffers; since then torch's process tells its own floor. */
int floor_is_of_own_process(const json_t *method);

/* What to add to a cold time that was taken where an empty kernel takes `from_us`, to have it as if taken where it takes `to_us`. 0 where
 * either is unknown (not a positive number) or they do not differ by more than `noise_us`. docs/measurement.md has the evidence. */
double floor_shift_us(double from_us, double to_us, double noise_us);

#endif
