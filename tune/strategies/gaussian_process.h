/* Gaussian process regression: what measured points say of others, with how sure that is.
 *
 * Points have features in [0, 1]; a feature is ordered, or a category of which only equal or different counts. The
 * kernel is Matern 5/2 with a length for each feature (Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, 2006, chapters 2 and 5). Linear algebra is LAPACK's. */
#ifndef ASSAY_TUNE_GAUSSIAN_PROCESS_H
#define ASSAY_TUNE_GAUSSIAN_PROCESS_H

enum { GP_MAX_FEATURES = 32 };

typedef struct gp_hyper {
    double length[GP_MAX_FEATURES]; /* in units of the features */
    double noise;                   /* variance of the noise, where the values have variance 1 */
} gp_hyper;

typedef struct gp_data {
    int count, features;
    const double *x; /* count rows of `features` */
    const double *y; /* any unit: standardised inside */
    const unsigned char *is_category;
} gp_data;

/* The hyperparameters of the largest marginal likelihood on a grid, by coordinate ascent from fixed starting values: the
 * same data give the same ones. Lengths have a weak prior, so that few points do not decide everything. */
void gp_choose_hyper(const gp_data *data, gp_hyper *out);

typedef struct gp gp;
/* NULL without memory. `data` and its arrays must stay. */
gp *gp_fit(const gp_data *data, const gp_hyper *hyper);
void gp_free(gp *g);
/* Mean and standard deviation of the function (without noise) at `count` points, in units of y. 0 without memory. `deviation` may be
 * NULL: it is what costs, the square of the points for each. */
int gp_predict(const gp *g, const double *x, int count, double *mean, double *deviation);

#endif
