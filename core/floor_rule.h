/* When two floors differ: one rule for comparisons, reports and the dashboard. */
#ifndef ASSAY_CORE_FLOOR_RULE_H
#define ASSAY_CORE_FLOOR_RULE_H

/* Two ticks of the clock of GPU events, by which the median of an empty kernel may be off on each side by chance. In microseconds. */
#define FLOOR_NOISE_US 0.064

/* What to add to a cold time that was taken where an empty kernel takes `from_us`, to have it as if taken where it takes `to_us`. 0 where
 * either is unknown (not a positive number) or they do not differ by more than noise. docs/measurement.md has the evidence. */
double floor_shift_us(double from_us, double to_us);

#endif
