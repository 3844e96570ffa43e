/* Gaussian process regression: see gaussian_process.h. */
#include "tune/strategies/gaussian_process.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double lengths[] = {0.08, 0.15, 0.3, 0.6, 1.2, 2.4, 4.8};
static const double noises[] = {1e-5, 1e-3, 1e-2, 5e-2, 0.2};
enum {
    LENGTH_COUNT = sizeof lengths / sizeof *lengths,
    NOISE_COUNT = sizeof noises / sizeof *noises,
    PASSES = 2
};

struct gp {
    const gp_data *data;
    gp_hyper hyper;
    double mean, scale;
    double *factor; /* lower Cholesky factor, column-major */
    double *alpha;  /* K^-1 y */
    double log_likelihood;
};

static double kernel(const gp_data *data, const gp_hyper *hyper, const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < data->features; i++) {
        const double difference = data->is_category[i] ? a[i] != b[i] : a[i] - b[i];
        const double scaled = difference / hyper->length[i];
        square += scaled * scaled;
    }
    const double r = sqrt(5 * square);
    return (1 + r + r * r / 3) * exp(-r);
}

static void standardise(gp *g)
{
    const int n = g->data->count;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += g->data->y[i];
    g->mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (g->data->y[i] - g->mean) * (g->data->y[i] - g->mean);
    g->scale = squares > 0 ? sqrt(squares / n) : 1;
    for (int i = 0; i < n; i++)
        g->alpha[i] = (g->data->y[i] - g->mean) / g->scale;
}

/* K + noise as a Cholesky factor; the noise grows until the matrix is positive definite in double precision. */
static int factorise(gp *g)
{
    const int n = g->data->count;
    for (double jitter = 1e-10; jitter < 1; jitter *= 100) {
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++)
                g->factor[(size_t)j * (size_t)n + (size_t)i] =
                    kernel(g->data, &g->hyper, g->data->x + i * g->data->features,
                           g->data->x + j * g->data->features) +
                    (i == j ? g->hyper.noise + jitter : 0);
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, g->factor, n) == 0)
            return 1;
    }
    return 0;
}

gp *gp_fit(const gp_data *data, const gp_hyper *hyper)
{
    const size_t n = (size_t)data->count;
    gp *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->data = data;
    g->hyper = *hyper;
    g->factor = malloc((n * n + 1) * sizeof *g->factor);
    g->alpha = malloc((n + 1) * sizeof *g->alpha);
    double *y = malloc((n + 1) * sizeof *y);
    int is_fit = n > 0 && g->factor && g->alpha && y;
    if (is_fit) {
        standardise(g);
        memcpy(y, g->alpha, n * sizeof *y);
        is_fit = factorise(g) &&
                 LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (int)n, 1, g->factor, (int)n, g->alpha, (int)n) == 0;
    }
    for (size_t i = 0; is_fit && i < n; i++)
        g->log_likelihood -= 0.5 * y[i] * g->alpha[i] + log(g->factor[i * n + i]);
    free(y);
    if (!is_fit) {
        gp_free(g);
        return NULL;
    }
    return g;
}

void gp_free(gp *g)
{
    if (g == NULL)
        return;
    free(g->factor);
    free(g->alpha);
    free(g);
}

int gp_predict(const gp *g, const double *x, int count, double *mean, double *deviation)
{
    const int n = g->data->count, features = g->data->features;
    double *cross = malloc((size_t)n * (size_t)count * sizeof *cross);
    if (cross == NULL)
        return 0;
    for (int j = 0; j < count; j++) {
        double *column = cross + (size_t)j * (size_t)n, sum = 0;
        for (int i = 0; i < n; i++) {
            column[i] = kernel(g->data, &g->hyper, g->data->x + i * features, x + j * features);
            sum += column[i] * g->alpha[i];
        }
        mean[j] = g->mean + g->scale * sum;
    }
    if (deviation)
        LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, count, g->factor, n, cross, n);
    for (int j = 0; deviation && j < count; j++) {
        const double *column = cross + (size_t)j * (size_t)n;
        double explained = 0;
        for (int i = 0; i < n; i++)
            explained += column[i] * column[i];
        deviation[j] = g->scale * sqrt(explained < 1 ? 1 - explained : 0);
    }
    free(cross);
    return 1;
}

/* Marginal likelihood with a log-normal prior on the lengths: middle 0.8, a factor of e within one deviation. */
static double quality(const gp_data *data, const gp_hyper *hyper)
{
    gp *g = gp_fit(data, hyper);
    if (g == NULL)
        return -INFINITY;
    double sum = g->log_likelihood;
    for (int i = 0; i < data->features; i++) {
        const double far = log(hyper->length[i] / 0.8);
        sum -= 0.5 * far * far;
    }
    gp_free(g);
    return sum;
}

/* The best of `count` values for one hyperparameter, the others kept. */
static double choose_one(const gp_data *data, gp_hyper *hyper, double *place, const double *values, int count,
                         double best)
{
    double chosen = *place;
    for (int i = 0; i < count; i++) {
        if (values[i] == chosen)
            continue;
        *place = values[i];
        const double found = quality(data, hyper);
        if (found > best) {
            best = found;
            chosen = values[i];
        }
    }
    *place = chosen;
    return best;
}

void gp_choose_hyper(const gp_data *data, gp_hyper *out)
{
    for (int i = 0; i < data->features; i++)
        out->length[i] = 0.6;
    out->noise = 1e-2;
    double best = quality(data, out);
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < data->features; i++)
            best = choose_one(data, out, &out->length[i], lengths, LENGTH_COUNT, best);
        best = choose_one(data, out, &out->noise, noises, NOISE_COUNT, best);
    }
}
