/* The least value of a function of a few numbers, without derivatives. */
#ifndef ASSAY_TOOLS_MINIMIZE_H
#define ASSAY_TOOLS_MINIMIZE_H

enum { MINIMIZE_MOST = 16 };

/* The simplex of Nelder and Mead (1965), from `x` with edges of `step`, for `steps` steps. `x` gets the best point seen; `count` is at
 * most MINIMIZE_MOST. The same start gives the same end. */
void minimize(double (*value)(const double *x, void *context), void *context, double *x, int count,
              double step, int steps);

#endif
