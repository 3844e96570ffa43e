/* Where samples lie: one measure for figures that are compared and for the floors beneath them. */
#ifndef ASSAY_CORE_LOCATION_H
#define ASSAY_CORE_LOCATION_H

/* The mean of the middle half (interquartile mean, midmean): of the samples of a repetition, and of the repetitions of a case. Outliers do
 * not reach it, as they do not reach a median, but it scatters less than one (by a sixth on normal values), and it does not jump: the clock of
 * GPU events ticks in 32 ns, 0.6% of 5 us, and a median stays on a tick. Sorts `samples`. NAN for none. */
double stats_location(double *samples, int count);
/* The same without sorting `values`. NAN for none or without memory. */
double stats_location_of(const double *values, int count);
#endif
