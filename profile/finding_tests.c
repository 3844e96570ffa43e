/* See finding_tests.h. */
#include "profile/finding_tests.h"
#include "profile/thresholds.h"
#include <math.h>
#include <stdio.h>

#define VALUE(given, name) metric_value(&(given)->kernel->metrics, METRIC_##name)

/* The tests. Comparisons with NAN, a number that is not known, are false. */

double finding_bytes_per_sector(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const metric_set *set = &given->kernel->metrics;
    const double used = metric_value(set, rule->cites[0]);
    const double sectors = metric_sectors_per_request(set, rule->cites[1], rule->cites[2]);
    if (!(used > 0.0 && used < 24.0 &&
          sectors > 4.5)) /* fewer: the warp reads one place, which is no waste */
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f of 32 bytes of a sector are used, %.1f sectors a request", used,
             sectors);
    return 1.0 - used / 32.0;
}

double finding_counted_sectors(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double sectors = VALUE(given, GLOBAL_SECTORS), ideal = VALUE(given, GLOBAL_IDEAL_SECTORS);
    if (!(sectors * 24.0 >= ideal * 32.0 && ideal > 0.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.3g sectors where %.3g could hold the bytes, %.1f a request", sectors,
             ideal, sectors / VALUE(given, GLOBAL_REQUESTS));
    return 1.0 - ideal / sectors;
}

/* What is asked for again and again comes from a cache, so it costs time only where it is a part of the instructions. */
double finding_read_again(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double asked = VALUE(given, GLOBAL_IDEAL_SECTORS), least = VALUE(given, LEAST_SECTORS),
                 times = asked / least, share = VALUE(given, GLOBAL_REQUESTS) / VALUE(given, INSTRUCTIONS);
    if (!(times >= READ_AGAIN && share >= REQUEST_SHARE))
        return 0.0;
    snprintf(out, FINDING_TEXT,
             "%.3g sectors are asked for where the op's tensors fill %.3g: %.1f times; %.0f%% of the "
             "instructions are such accesses",
             asked, least, times, 100.0 * share);
    return 1.0 - 1.0 / times;
}

double finding_narrow_accesses(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double width = VALUE(given, GLOBAL_SECTORS) / VALUE(given, GLOBAL_REQUESTS),
                 share = VALUE(given, GLOBAL_REQUESTS) / VALUE(given, INSTRUCTIONS);
    if (!(width <= 4.5 && share >= REQUEST_SHARE))
        return 0.0;
    snprintf(out, FINDING_TEXT,
             "an access of a warp touches %.1f sectors (16 bytes a thread: 16); %.0f%% of the "
             "instructions are such accesses",
             width, 100.0 * share);
    return 0.3;
}

double finding_bank_conflicts(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double share = metric_conflict_share(&given->kernel->metrics);
    if (!(share >= CONFLICT_SHARE))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the wavefronts of shared memory are bank conflicts (%.3g of %.3g)",
             100.0 * share, VALUE(given, SHARED_CONFLICTS), VALUE(given, SHARED_WAVEFRONTS));
    const double busy = VALUE(given, L1_SOL) / 100.0; /* where the L1 is idle they cost little */
    return isnan(busy) ? share : share * fmax(busy, 0.2);
}

double finding_local_memory(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double share = metric_local_share(&given->kernel->metrics);
    if (!(share >= 0.1))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the sectors are local memory (%.3g read, %.3g written)",
             100.0 * share, VALUE(given, LOCAL_LOAD_SECTORS), VALUE(given, LOCAL_STORE_SECTORS));
    return share;
}

double finding_spills(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    if (!(VALUE(given, SPILL_BYTES) > 0.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f bytes of spill instructions with %.0f registers a thread",
             VALUE(given, SPILL_BYTES), VALUE(given, REGISTERS));
    return 0.3; /* how often they are executed is not known */
}

double finding_divergence(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double threads = VALUE(given, ACTIVE_THREADS);
    if (!(threads < 24.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f of 32 threads of a warp are active", threads);
    return 1.0 - threads / 32.0;
}

double finding_atomics(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double counted = VALUE(given, GLOBAL_REQUESTS);
    const double those =
        VALUE(given, ATOMIC_REQUESTS) + (isnan(counted) ? VALUE(given, REDUCTION_REQUESTS) : 0.0);
    const double all =
        isnan(counted) ? those + VALUE(given, LOAD_REQUESTS) + VALUE(given, STORE_REQUESTS) : counted;
    const double share = those / all;
    if (!(share >= 0.25))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the requests to global memory are atomics (%.3g)", 100.0 * share,
             those);
    return fmin(2.0 * share, 1.0);
}

double finding_stall(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const double share = metric_stall_share(&given->kernel->metrics, rule->cites[0]),
                 issue = VALUE(given, ISSUE_ACTIVE);
    if (!(share > STALL_SHARE && issue < ISSUE_BUSY))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of a warp's time, while a scheduler issues %.2f instructions a cycle",
             100.0 * share, issue);
    /* No more is to be won than what is left to the peak of the busier side. */
    const double busy = fmax(VALUE(given, SM_SOL), metric_memory_side(&given->kernel->metrics));
    return share * (1.0 - issue) * (busy > 0.0 ? 1.0 - fmin(busy, 90.0) / 100.0 : 1.0);
}

double finding_low_occupancy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double theoretical = VALUE(given, THEORETICAL_OCCUPANCY);
    const char *limit = metric_occupancy_limit(&given->kernel->metrics);
    if (!(theoretical < OCCUPANCY_LOW))
        return 0.0;
    snprintf(out, FINDING_TEXT,
             "at most %.0f%% of the warps fit%s%s; %.0f registers a thread, %.0f bytes shared a block",
             theoretical, *limit ? ", limited by " : "", limit, VALUE(given, REGISTERS),
             fmax(VALUE(given, STATIC_SHARED), 0.0) + fmax(VALUE(given, DYNAMIC_SHARED), 0.0));
    return 1.0 - theoretical / 100.0;
}

double finding_occupancy_gap(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double theoretical = VALUE(given, THEORETICAL_OCCUPANCY),
                 achieved = VALUE(given, ACHIEVED_OCCUPANCY);
    if (!(theoretical - achieved >= OCCUPANCY_GAP))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the warps were there where %.0f%% fit", achieved, theoretical);
    return (theoretical - achieved) / 100.0;
}

double finding_small_grid(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double waves = VALUE(given, WAVES);
    if (!(waves < WAVES_FULL))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f blocks are %.2f waves", VALUE(given, GRID_BLOCKS), waves);
    return 0.9 * (1.0 - waves);
}

double finding_tail(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double waves = VALUE(given, WAVES), idle = 1.0 - waves / ceil(waves);
    if (!(waves > WAVES_FULL && waves < 5.0 && idle >= 0.2))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.2f waves: the last leaves up to %.0f%% of the card idle", waves,
             100.0 * idle);
    return idle / 2.0;
}

double finding_unequal(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double share = metric_sm_active_share(&given->kernel->metrics);
    if (!(share < ACTIVE_SHARE) || VALUE(given, DURATION) < LAUNCH_NS || VALUE(given, WAVES) < WAVES_FULL)
        return 0.0;
    snprintf(out, FINDING_TEXT, "a multiprocessor had work in %.0f%% of the cycles", 100.0 * share);
    return 1.0 - share;
}

double finding_pipe_busy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const double busy = metric_value(&given->kernel->metrics, rule->cites[0]);
    if (!(busy >= PIPE_HALF) || metric_top_pipe(&given->kernel->metrics) != rule->cites[0])
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of its peak", busy);
    return busy / 100.0;
}

double finding_issue_busy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const metric_id pipe = metric_top_pipe(&given->kernel->metrics);
    const double issue = VALUE(given, ISSUE_ACTIVE), busy = metric_value(&given->kernel->metrics, pipe);
    if (!(issue >= ISSUE_BUSY) || busy >= SOL_SATURATED)
        return 0.0;
    snprintf(out, FINDING_TEXT, "a scheduler issues %.2f instructions a cycle, and no pipe is above %.0f%%",
             issue, busy);
    return issue / 2.0;
}

static double dram_bytes(const evidence *given)
{
    return VALUE(given, DRAM_READ) + VALUE(given, DRAM_WRITE);
}

double finding_extra_bytes(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double times = dram_bytes(given) / given->least_bytes;
    if (!(times >= 1.3))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.4g MB to and from memory, %.2f times the least (%.4g MB)",
             dram_bytes(given) * 1e-6, times, given->least_bytes * 1e-6);
    return 1.0 - 1.0 / times;
}

double finding_few_bytes_in_flight(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double dram = VALUE(given, DRAM_SOL),
                 width = metric_sectors_per_request(&given->kernel->metrics, METRIC_LOAD_REQUESTS,
                                                    METRIC_LOAD_SECTORS);
    if (!(dram < SOL_SATURATED && dram >= 30.0 && width <= 4.5 &&
          VALUE(given, LOAD_BYTES_PER_SECTOR) >= 24.0))
        return 0.0;
    snprintf(out, FINDING_TEXT,
             "a load of a warp moves %.0f bytes (%.1f sectors; 16 are 512 bytes), DRAM is at %.0f%%",
             32.0 * width, width, dram);
    return 0.3;
}

double finding_at_the_limit(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double dram = VALUE(given, DRAM_SOL);
    if (!(dram >= SOL_BUSY && metric_memory_level(&given->kernel->metrics) == METRIC_DRAM_SOL))
        return 0.0;
    snprintf(out, FINDING_TEXT, "DRAM is at %.0f%% of its peak", dram);
    return dram / 200.0;
}

double finding_at_measured_limit(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    if (!(given->bandwidth_percent >= SOL_BUSY))
        return 0.0;
    snprintf(out, FINDING_TEXT, "the op's bytes in the measured time are %.0f%% of the measured bandwidth",
             given->bandwidth_percent);
    return given->bandwidth_percent / 200.0;
}

double finding_compute_limit(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double sm = VALUE(given, SM_SOL);
    if (!(sm >= SOL_SATURATED))
        return 0.0;
    snprintf(out, FINDING_TEXT, "the multiprocessors are at %.0f%% of their peak", sm);
    return sm / 200.0;
}

double finding_l2_traffic(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double l2 = VALUE(given, L2_SOL), dram = VALUE(given, DRAM_SOL);
    if (!(l2 >= SOL_BUSY && metric_memory_level(&given->kernel->metrics) == METRIC_L2_SOL))
        return 0.0;
    snprintf(out, FINDING_TEXT, "L2 is at %.0f%% of its peak, DRAM at %.0f%%; %.4g MB through L2", l2, dram,
             VALUE(given, L2_BYTES) * 1e-6);
    return l2 / 200.0;
}

double finding_l1_traffic(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double l1 = VALUE(given, L1_SOL);
    if (!(l1 >= SOL_BUSY && metric_memory_level(&given->kernel->metrics) == METRIC_L1_SOL))
        return 0.0;
    snprintf(out, FINDING_TEXT, "L1 and shared memory are at %.0f%% of their peak, L2 at %.0f%%", l1,
             VALUE(given, L2_SOL));
    return l1 / 200.0;
}

double finding_short_kernel(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double ns = VALUE(given, DURATION);
    if (!(ns < LAUNCH_NS))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f us, of which launch and ramp-up are 1 to 3", ns * 1e-3);
    return 1.0;
}
