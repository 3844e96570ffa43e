/* Hartigan's dip: how far an empirical distribution is from the nearest one with a single mode.
 * J. A. Hartigan and P. M. Hartigan, "The Dip Test of Unimodality", Annals of Statistics 13(1), 1985. */
#ifndef ASSAY_STATISTICS_DIP_TEST_H
#define ASSAY_STATISTICS_DIP_TEST_H

/* The dip of `count` values in ascending order; at least 1/(2 count) for distinct ones, at most 1/4. 0 for
 * fewer than four values, negative if memory is short. */
double dip_of_sorted(const double *sorted, int count);

/* The dip that one in a thousand samples of a uniform distribution exceeds, which of all with a single mode
 * has the largest dips (asymptotically; section 3 of the paper). */
double dip_critical(int count);

#endif
