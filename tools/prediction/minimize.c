/* See minimize.h. Reflection 1, expansion 2, contraction and shrinkage 1/2, as in the paper. */
#include "tools/prediction/minimize.h"
#include <string.h>

typedef struct simplex {
    int count; /* of dimensions; there is one corner more */
    double corner[MINIMIZE_MOST + 1][MINIMIZE_MOST], value[MINIMIZE_MOST + 1];
} simplex;

static void put_corner(simplex *s, int at, const double *x, double value)
{
    memcpy(s->corner[at], x, (size_t)s->count * sizeof *x);
    s->value[at] = value;
}

/* Lowest first. */
static void sort(simplex *s)
{
    for (int i = 1; i <= s->count; i++)
        for (int k = i; k > 0 && s->value[k] < s->value[k - 1]; k--) {
            double x[MINIMIZE_MOST];
            const double value = s->value[k];
            memcpy(x, s->corner[k], sizeof x);
            put_corner(s, k, s->corner[k - 1], s->value[k - 1]);
            put_corner(s, k - 1, x, value);
        }
}

/* The point `far` times as far from the centre of the other corners as the worst is, on its other side. */
static void opposite(const simplex *s, double far, double *out)
{
    for (int d = 0; d < s->count; d++) {
        double centre = 0;
        for (int i = 0; i < s->count; i++)
            centre += s->corner[i][d] / s->count;
        out[d] = centre + far * (centre - s->corner[s->count][d]);
    }
}

static void shrink(simplex *s, double (*value)(const double *, void *), void *context)
{
    for (int i = 1; i <= s->count; i++) {
        for (int d = 0; d < s->count; d++)
            s->corner[i][d] = 0.5 * (s->corner[0][d] + s->corner[i][d]);
        s->value[i] = value(s->corner[i], context);
    }
}

static void step_once(simplex *s, double (*value)(const double *, void *), void *context)
{
    double reflected[MINIMIZE_MOST], other[MINIMIZE_MOST];
    const int worst = s->count;
    opposite(s, 1, reflected);
    const double at = value(reflected, context);
    if (at < s->value[0]) {
        opposite(s, 2, other);
        const double further = value(other, context);
        put_corner(s, worst, further < at ? other : reflected, further < at ? further : at);
        return;
    }
    if (at < s->value[worst - 1]) {
        put_corner(s, worst, reflected, at);
        return;
    }
    opposite(s, at < s->value[worst] ? 0.5 : -0.5, other);
    const double nearer = value(other, context);
    if (nearer < s->value[worst])
        put_corner(s, worst, other, nearer);
    else
        shrink(s, value, context);
}

void minimize(double (*value)(const double *x, void *context), void *context, double *x, int count,
              double step, int steps)
{
    simplex s = {.count = count};
    put_corner(&s, 0, x, value(x, context));
    for (int i = 0; i < count; i++) {
        double moved[MINIMIZE_MOST];
        memcpy(moved, x, (size_t)count * sizeof *x);
        moved[i] += step;
        put_corner(&s, i + 1, moved, value(moved, context));
    }
    for (int i = 0; i < steps; i++) {
        sort(&s);
        step_once(&s, value, context);
    }
    sort(&s);
    memcpy(x, s.corner[0], (size_t)count * sizeof *x);
}
