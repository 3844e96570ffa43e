/* Scores of configurations: see heuristic.h. */
#include "tune/strategies/heuristic.h"
#include "resources/occupancy.h"
#include <math.h>

typedef struct reading {
    double tile_m, tile_n, tile_k, stages, warps, threads, vector, split; /* 0: no such parameter */
} reading;

static reading read_roles(const space *s, const configuration *c)
{
    reading r = {0};
    for (int i = 0; i < space_parameter_count(s); i++) {
        const double number = value_number(configuration_value(s, c, i));
        switch (space_parameter_at(s, i)->role) {
        case SPACE_ROLE_TILE_M:
            r.tile_m = number;
            break;
        case SPACE_ROLE_TILE_N:
            r.tile_n = number;
            break;
        case SPACE_ROLE_TILE_K:
            r.tile_k = number;
            break;
        case SPACE_ROLE_STAGES:
            r.stages = number;
            break;
        case SPACE_ROLE_WARPS:
            r.warps = number;
            break;
        case SPACE_ROLE_THREADS: /* along several axes the product counts */
            r.threads = (r.threads > 0 ? r.threads : 1) * number;
            break;
        case SPACE_ROLE_VECTOR:
            r.vector = number;
            break;
        case SPACE_ROLE_SPLIT:
            r.split = number;
            break;
        default:
            break;
        }
    }
    return r;
}

static double constant_or(const space *s, const char *name, double fallback)
{
    const double number = space_constant(s, name);
    return isfinite(number) && number > 0 ? number : fallback;
}

static double threads_of(const reading *r)
{
    return r->threads > 0 ? r->threads : r->warps * 32;
}

/* Tiles of both factors in every stage. */
static double shared_of(const space *s, const reading *r)
{
    if (r->tile_m == 0 || r->tile_n == 0 || r->tile_k == 0)
        return 0;
    return (r->stages > 0 ? r->stages : 1) * (r->tile_m + r->tile_n) * r->tile_k *
           constant_or(s, "element_bytes", 2);
}

/* Accumulators of the tile, and some for addresses. */
static double registers_of(const reading *r, double threads)
{
    return r->tile_m > 0 && r->tile_n > 0 ? 40 + r->tile_m * r->tile_n / threads : 32;
}

/* Full marks from half of the warps on: beyond, latency is hidden already (Volkov, GTC 2010). A kernel that pipelines its
 * loads (stages) needs a quarter. */
static double score_occupancy(const space *s, const reading *r)
{
    const double threads = threads_of(r);
    if (!(threads >= 1))
        return 1;
    if (threads > constant_or(s, "max_threads_per_block", 1024))
        return 0.01;
    const sm_limits limits = {.major = 9,
                              .max_blocks = (int)constant_or(s, "blocks_per_sm", 32),
                              .max_warps = (int)constant_or(s, "threads_per_sm", 2048) / 32,
                              .registers = (int)constant_or(s, "registers_per_sm", 65536),
                              .shared_bytes = (int)constant_or(s, "shared_bytes_per_sm", 233472),
                              .max_shared_block_bytes =
                                  (int)constant_or(s, "max_shared_bytes_per_block", 232448)};
    const double registers = registers_of(r, threads), shared = shared_of(s, r);
    if (registers > 255 || shared > limits.max_shared_block_bytes)
        return 0.02;
    const occupancy found = occupancy_compute(&limits, (int)threads, (int)registers, (long)shared);
    const double enough = r->stages > 1 ? 12.5 : 50;
    return found.percent <= 0 ? 0.02 : found.percent >= enough ? 1 : 0.3 + 0.7 * found.percent / enough;
}

/* A square tile of 256 has 128; half of that is near the knee for tensor cores, so the score saturates. */
static double score_reuse(const space *s, const reading *r)
{
    if (r->tile_m <= 0 || r->tile_n <= 0)
        return 1;
    const double reuse = r->tile_m * r->tile_n / (r->tile_m + r->tile_n);
    const double m = constant_or(s, "M", 0), n = constant_or(s, "N", 0);
    const double useful = (m > 0 ? fmin(1, m / r->tile_m) : 1) * (n > 0 ? fmin(1, n / r->tile_n) : 1);
    return useful * reuse / (reuse + 32);
}

static double divides(double tile, double dimension)
{
    if (!(tile > 0) || !(dimension > 0))
        return 1;
    return dimension / (ceil(dimension / tile) * tile);
}

static double score_alignment(const space *s, const reading *r)
{
    double score = divides(r->tile_m, constant_or(s, "M", 0)) * divides(r->tile_n, constant_or(s, "N", 0)) *
                   divides(r->tile_k, constant_or(s, "K", 0));
    const double threads = threads_of(r);
    if (threads >= 1)
        score *= threads / (ceil(threads / 32) * 32);
    if (r->vector > 0) {
        const double bytes = r->vector >= 8 ? r->vector : r->vector * constant_or(s, "element_bytes", 4);
        score *= bytes >= 16 ? 1 : 0.6 + 0.4 * bytes / 16;
    }
    return score;
}

static double score_waves(const space *s, const reading *r)
{
    const double sms = constant_or(s, "sm_count", 132), m = constant_or(s, "M", 0),
                 n = constant_or(s, "N", 0);
    if (!(r->tile_m > 0 && r->tile_n > 0 && m > 0 && n > 0))
        return 1;
    const double blocks = ceil(m / r->tile_m) * ceil(n / r->tile_n) * (r->split > 1 ? r->split : 1);
    return blocks / (ceil(blocks / sms) * sms);
}

double heuristic_score(const space *s, const configuration *c)
{
    const reading r = read_roles(s, c);
    return score_occupancy(s, &r) * score_reuse(s, &r) * score_alignment(s, &r) *
           (0.4 + 0.6 * score_waves(s, &r));
}

int heuristic_is_informed(const space *s)
{
    for (int i = 0; i < space_parameter_count(s); i++) {
        const space_role role = space_parameter_at(s, i)->role;
        if (role >= SPACE_ROLE_TILE_M && role <= SPACE_ROLE_VECTOR &&
            space_parameter_at(s, i)->value_count > 1)
            return 1;
    }
    return 0;
}
