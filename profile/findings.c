/* See findings.h. */
#include "profile/findings.h"
#include "profile/thresholds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define VALUE(given, name) metric_value(&(given)->kernel->metrics, METRIC_##name)

const char *findings_occupancy_limit(const metric_set *set)
{
    static const struct {
        metric_id id;
        const char *name;
    } limits[] = {{METRIC_LIMIT_REGISTERS, "registers"},
                  {METRIC_LIMIT_SHARED, "shared memory"},
                  {METRIC_LIMIT_WARPS, "warps"},
                  {METRIC_LIMIT_BLOCKS, "blocks"}};
    const char *name = "";
    double least = INFINITY;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (metric_value(set, limits[i].id) < least) {
            least = metric_value(set, limits[i].id);
            name = limits[i].name;
        }
    return name;
}

metric_id findings_top_pipe(const metric_set *set)
{
    metric_id top = METRIC_COUNT;
    for (int id = METRIC_PIPE_TENSOR; id <= METRIC_PIPE_LSU; id++)
        if (metric_known(set, (metric_id)id) &&
            (top == METRIC_COUNT || metric_value(set, (metric_id)id) > metric_value(set, top)))
            top = (metric_id)id;
    return top;
}

/* The tests. Comparisons with NAN, a number that is not known, are false. */

static double bytes_per_sector(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const metric_set *set = &given->kernel->metrics;
    const double used = metric_value(set, rule->cites[0]);
    const double sectors = metric_sectors_per_request(set, rule->cites[1], rule->cites[2]);
    if (!(used > 0.0 && used < 24.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f of 32 bytes of a sector are used, %.1f sectors a request", used,
             sectors);
    return 1.0 - used / 32.0;
}

static double bank_conflicts(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
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

static double local_memory(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double share = metric_local_share(&given->kernel->metrics);
    if (!(share >= 0.1))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the sectors are local memory (%.3g read, %.3g written)",
             100.0 * share, VALUE(given, LOCAL_LOAD_SECTORS), VALUE(given, LOCAL_STORE_SECTORS));
    return share;
}

static double spills(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    if (!(VALUE(given, SPILL_BYTES) > 0.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f bytes of spill instructions with %.0f registers a thread",
             VALUE(given, SPILL_BYTES), VALUE(given, REGISTERS));
    return 0.3; /* how often they are executed is not known */
}

static double divergence(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double threads = VALUE(given, ACTIVE_THREADS);
    if (!(threads < 24.0))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f of 32 threads of a warp are active", threads);
    return 1.0 - threads / 32.0;
}

static double atomics(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double those = VALUE(given, ATOMIC_REQUESTS) + VALUE(given, REDUCTION_REQUESTS);
    const double share = those / (those + VALUE(given, LOAD_REQUESTS) + VALUE(given, STORE_REQUESTS));
    if (!(share >= 0.25))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the requests to global memory are atomics (%.3g)", 100.0 * share,
             those);
    return share;
}

static double stall(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const double share = metric_stall_share(&given->kernel->metrics, rule->cites[0]),
                 issue = VALUE(given, ISSUE_ACTIVE);
    if (!(share > STALL_SHARE && issue < ISSUE_BUSY))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of a warp's time, while a scheduler issues %.2f instructions a cycle",
             100.0 * share, issue);
    return share * (1.0 - issue);
}

static double low_occupancy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double theoretical = VALUE(given, THEORETICAL_OCCUPANCY);
    const char *limit = findings_occupancy_limit(&given->kernel->metrics);
    if (!(theoretical < OCCUPANCY_LOW))
        return 0.0;
    snprintf(out, FINDING_TEXT,
             "at most %.0f%% of the warps fit%s%s; %.0f registers a thread, %.0f bytes shared a block",
             theoretical, *limit ? ", limited by " : "", limit, VALUE(given, REGISTERS),
             fmax(VALUE(given, STATIC_SHARED), 0.0) + fmax(VALUE(given, DYNAMIC_SHARED), 0.0));
    return 1.0 - theoretical / 100.0;
}

static double occupancy_gap(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double theoretical = VALUE(given, THEORETICAL_OCCUPANCY),
                 achieved = VALUE(given, ACHIEVED_OCCUPANCY);
    if (!(theoretical - achieved >= OCCUPANCY_GAP))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of the warps were there where %.0f%% fit", achieved, theoretical);
    return (theoretical - achieved) / 100.0;
}

static double small_grid(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double waves = VALUE(given, WAVES);
    if (!(waves < WAVES_FULL))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f blocks are %.2f waves", VALUE(given, GRID_BLOCKS), waves);
    return 1.0 - waves;
}

static double tail(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double waves = VALUE(given, WAVES), idle = 1.0 - waves / ceil(waves);
    if (!(waves > WAVES_FULL && waves < 5.0 && idle >= 0.2))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.2f waves: the last leaves up to %.0f%% of the card idle", waves,
             100.0 * idle);
    return idle / 2.0;
}

static double unequal(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double share = metric_sm_active_share(&given->kernel->metrics);
    if (!(share < ACTIVE_SHARE) || VALUE(given, DURATION) < LAUNCH_NS || VALUE(given, WAVES) < WAVES_FULL)
        return 0.0;
    snprintf(out, FINDING_TEXT, "a multiprocessor had work in %.0f%% of the cycles", 100.0 * share);
    return 1.0 - share;
}

static double pipe_busy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    const double busy = metric_value(&given->kernel->metrics, rule->cites[0]);
    if (!(busy >= PIPE_HALF) || findings_top_pipe(&given->kernel->metrics) != rule->cites[0])
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.0f%% of its peak", busy);
    return busy / 100.0;
}

static double issue_busy(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const metric_id pipe = findings_top_pipe(&given->kernel->metrics);
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

static double extra_bytes(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double times = dram_bytes(given) / given->least_bytes;
    if (!(times >= 1.3))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.4g MB to and from memory, %.2f times the least (%.4g MB)",
             dram_bytes(given) * 1e-6, times, given->least_bytes * 1e-6);
    return 1.0 - 1.0 / times;
}

static double few_bytes_in_flight(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
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

static double at_the_limit(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double dram = VALUE(given, DRAM_SOL);
    if (!(dram >= SOL_SATURATED))
        return 0.0;
    snprintf(out, FINDING_TEXT, "DRAM is at %.0f%% of its peak", dram);
    return 0.25;
}

static double at_measured_limit(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    if (!(given->bandwidth_percent >= SOL_BUSY))
        return 0.0;
    snprintf(out, FINDING_TEXT, "the op's bytes in the measured time are %.0f%% of the measured bandwidth",
             given->bandwidth_percent);
    return given->bandwidth_percent / 200.0;
}

static double l2_traffic(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double l2 = VALUE(given, L2_SOL), dram = VALUE(given, DRAM_SOL);
    if (!(l2 >= SOL_BUSY && l2 > dram))
        return 0.0;
    snprintf(out, FINDING_TEXT, "L2 is at %.0f%% of its peak, DRAM at %.0f%%; %.4g MB through L2", l2, dram,
             VALUE(given, L2_BYTES) * 1e-6);
    return l2 / 200.0;
}

static double l1_traffic(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double l1 = VALUE(given, L1_SOL);
    if (!(l1 >= SOL_BUSY && l1 > VALUE(given, L2_SOL) && l1 > VALUE(given, DRAM_SOL)))
        return 0.0;
    snprintf(out, FINDING_TEXT, "L1 and shared memory are at %.0f%% of their peak, L2 at %.0f%%", l1,
             VALUE(given, L2_SOL));
    return l1 / 200.0;
}

static double short_kernel(const finding_rule *rule, const evidence *given, char out[FINDING_TEXT])
{
    (void)rule;
    const double ns = VALUE(given, DURATION);
    if (!(ns < LAUNCH_NS))
        return 0.0;
    snprintf(out, FINDING_TEXT, "%.1f us, of which launch and ramp-up are 1 to 3", ns * 1e-3);
    return 1.0;
}

/* Where a line is at fault. */

static double of_samples(const profile_line *line)
{
    return line->samples;
}

static double of_sectors(const profile_line *line)
{
    return line->excess_sectors;
}

static double of_wavefronts(const profile_line *line)
{
    return line->excess_wavefronts;
}

static double of_local(const profile_line *line)
{
    return line->local_sectors;
}

static double of_divergence(const profile_line *line)
{
    return line->divergent;
}

#define NONE     METRIC_COUNT
#define IN(name) (1u << BOTTLENECK_##name)
#define STALLED(name, kinds, means, change)                                                                  \
    {                                                                                                        \
        "stall_" #name, means, kinds, {METRIC_STALL_##name, METRIC_WARP_CYCLES, METRIC_ISSUE_ACTIVE}, stall, \
            of_samples, change, "Nsight Compute: warp state rules"                                           \
    }
#define PIPE(name, means, change)                                                                            \
    {                                                                                                        \
        "pipe_" #name, means, IN(COMPUTE) | IN(BALANCED), {METRIC_PIPE_##name, NONE, NONE}, pipe_busy, NULL, \
            change, "Nsight Compute: pipe utilization rule"                                                  \
    }

static const finding_rule table[] = {
    {"uncoalesced_loads",
     "loads use a part of the sectors that they fetch",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_LOAD_BYTES_PER_SECTOR, METRIC_LOAD_REQUESTS, METRIC_LOAD_SECTORS},
     bytes_per_sector,
     of_sectors,
     "let neighbouring threads read neighbouring addresses; go through shared memory where the layout "
     "forbids it",
     "CUDA C++ Best Practices Guide, coalesced access"},
    {"uncoalesced_stores",
     "stores use a part of the sectors that they send",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_STORE_BYTES_PER_SECTOR, METRIC_STORE_REQUESTS, METRIC_STORE_SECTORS},
     bytes_per_sector,
     of_sectors,
     "let neighbouring threads write neighbouring addresses; transpose the tile in shared memory first",
     "CUDA C++ Best Practices Guide, coalesced access"},
    {"extra_bytes",
     "more bytes go to and from memory than the op needs",
     IN(MEMORY) | IN(BALANCED) | IN(LATENCY),
     {METRIC_DRAM_READ, METRIC_DRAM_WRITE, NONE},
     extra_bytes,
     NULL,
     "keep what is used again on the chip: larger tiles, one pass instead of two, blocks that share data run "
     "side by side",
     "roofline model (Williams et al. 2009)"},
    {"few_bytes_in_flight",
     "narrow loads: too few bytes are under way",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_LOAD_REQUESTS, METRIC_LOAD_SECTORS, METRIC_DRAM_SOL},
     few_bytes_in_flight,
     of_samples,
     "load 16 bytes a thread, and several of them before the first is used",
     "Little's law; CUDA C++ Best Practices Guide"},
    {"dram_at_its_limit",
     "the card's memory is near its peak",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_DRAM_SOL, NONE, NONE},
     at_the_limit,
     NULL,
     "only fewer bytes help: fuse with the op before or after, or store in 16 bits",
     "roofline model (Williams et al. 2009)"},
    {"bandwidth_near_its_limit",
     "the card's bandwidth is nearly used up by bytes that the op must move",
     IN(MEMORY) | IN(BALANCED),
     {NONE, NONE, NONE},
     at_measured_limit,
     NULL,
     "only fewer bytes help: fuse with the op before or after, or store in 16 bits",
     "roofline model (Williams et al. 2009)"},
    {"l2_traffic",
     "the L2 cache serves more than the card's memory",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_L2_SOL, METRIC_L2_BYTES, NONE},
     l2_traffic,
     of_samples,
     "read each line once a block: larger tiles in shared memory or registers, TMA multicast in a cluster",
     "hierarchical roofline (Yang et al. 2020)"},
    {"l1_traffic",
     "L1 and shared memory are the busiest part",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_L1_SOL, NONE, NONE},
     l1_traffic,
     of_samples,
     "use a value more often once it is in a register: register tiles, wider loads of shared memory",
     "hierarchical roofline (Yang et al. 2020)"},
    {"bank_conflicts",
     "lanes of a warp meet in a bank of shared memory",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED),
     {METRIC_SHARED_CONFLICTS, METRIC_SHARED_WAVEFRONTS, NONE},
     bank_conflicts,
     of_wavefronts,
     "pad the rows of the tile by one access, or swizzle its columns",
     "CUDA C++ Best Practices Guide, shared memory banks"},
    {"local_memory",
     "registers or arrays lie in local memory",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED),
     {METRIC_LOCAL_LOAD_SECTORS, METRIC_LOCAL_STORE_SECTORS, NONE},
     local_memory,
     of_local,
     "index arrays with constants (unroll the loop), or use fewer registers a thread",
     "CUDA C++ Best Practices Guide, local memory"},
    {"spills",
     "the compiler spilled registers",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED) | IN(OCCUPANCY),
     {METRIC_SPILL_BYTES, METRIC_REGISTERS, NONE},
     spills,
     NULL,
     "smaller tiles a thread, or a looser launch bound",
     "ptxas -v"},
    {"divergence",
     "threads of a warp take different branches",
     IN(COMPUTE) | IN(LATENCY) | IN(BALANCED),
     {METRIC_ACTIVE_THREADS, NONE, NONE},
     divergence,
     of_divergence,
     "let whole warps take a branch: sort or regroup the work, or compute both sides and select",
     "CUDA C++ Best Practices Guide, divergence"},
    {"atomics",
     "much of the traffic is atomics",
     IN(LATENCY) | IN(MEMORY) | IN(BALANCED),
     {METRIC_ATOMIC_REQUESTS, METRIC_REDUCTION_REQUESTS, NONE},
     atomics,
     of_samples,
     "reduce in the warp and the block first, then one atomic a block",
     "CUDA C++ Programming Guide, atomic functions"},
    STALLED(LONG_SCOREBOARD, IN(LATENCY) | IN(OCCUPANCY) | IN(MEMORY) | IN(BALANCED),
            "warps wait for global or local memory",
            "issue loads earlier and more of them: unroll, prefetch the next tile by cp.async or TMA"),
    STALLED(
        SHORT_SCOREBOARD, IN(LATENCY) | IN(OCCUPANCY) | IN(MEMORY),
        "warps wait for shared memory or special functions",
        "load the next fragment while this one is computed on; fewer and wider accesses to shared memory"),
    STALLED(BARRIER, IN(LATENCY) | IN(OCCUPANCY), "warps wait for each other at a barrier",
            "fewer barriers: more work between two, smaller blocks, warp shuffles, or named barriers of the "
            "warps concerned"),
    STALLED(MEMBAR, IN(LATENCY), "warps wait at a memory fence",
            "drop fences that no other block needs, or narrow their scope to the block"),
    STALLED(LG_THROTTLE, IN(LATENCY) | IN(MEMORY), "the queue of global and local accesses is full",
            "fewer and wider accesses; combine atomics before they leave the block"),
    STALLED(MIO_THROTTLE, IN(LATENCY) | IN(MEMORY), "the queue of shared-memory instructions is full",
            "fewer and wider accesses to shared memory; ldmatrix instead of single loads"),
    STALLED(TEX_THROTTLE, IN(LATENCY) | IN(MEMORY), "the queue of texture accesses is full",
            "fewer and wider accesses"),
    STALLED(MATH_PIPE_THROTTLE, IN(COMPUTE) | IN(LATENCY), "warps queue for an arithmetic unit",
            "move work to another unit, or use a denser instruction (wgmma for mma.sync, packed half2)"),
    STALLED(GMMA, IN(COMPUTE) | IN(LATENCY), "warps wait for a warpgroup's matrix instructions",
            "keep more of them in flight: a deeper pipeline, two consumer warpgroups, wait for the one "
            "before the last"),
    STALLED(WAIT, IN(LATENCY) | IN(OCCUPANCY), "warps wait out fixed latencies",
            "more independent instructions a thread: unroll, several accumulators"),
    STALLED(NO_INSTRUCTION, IN(LATENCY) | IN(LAUNCH), "warps wait for code",
            "less code in the loop: unroll less, fewer branches"),
    STALLED(IMC_MISS, IN(LATENCY) | IN(LAUNCH), "warps wait for constants",
            "pass fewer arguments by value, or read them once at the start"),
    STALLED(BRANCH_RESOLVING, IN(LATENCY), "warps wait for branches",
            "unroll short loops; predicate instead of branching"),
    STALLED(DRAIN, IN(LATENCY) | IN(LAUNCH), "warps wait for their last stores",
            "spread the stores over the loop, or make them wider"),
    STALLED(SLEEPING, IN(LATENCY), "warps sleep", "poll with a shorter sleep, or wait at an mbarrier"),
    {"low_occupancy",
     "few warps fit a multiprocessor",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_THEORETICAL_OCCUPANCY, METRIC_REGISTERS, METRIC_DYNAMIC_SHARED},
     low_occupancy,
     NULL,
     "need less of what limits: fewer registers a thread, less shared memory a block, another block size",
     "Nsight Compute: occupancy rule"},
    {"occupancy_gap",
     "fewer warps were there than fit",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_ACHIEVED_OCCUPANCY, METRIC_THEORETICAL_OCCUPANCY, NONE},
     occupancy_gap,
     NULL,
     "blocks of equal work, smaller blocks, or a persistent grid that takes tiles from a queue",
     "Nsight Compute: occupancy rule"},
    {"small_grid",
     "the grid does not fill the card",
     IN(OCCUPANCY) | IN(LAUNCH) | IN(LATENCY),
     {METRIC_WAVES, METRIC_GRID_BLOCKS, NONE},
     small_grid,
     NULL,
     "more blocks: smaller tiles, split the inner dimension (split-K), or several problems in a launch",
     "Nsight Compute: launch configuration rule"},
    {"tail",
     "the last wave is partly empty",
     IN(OCCUPANCY) | IN(LATENCY) | IN(COMPUTE) | IN(MEMORY) | IN(BALANCED),
     {METRIC_WAVES, METRIC_GRID_BLOCKS, NONE},
     tail,
     NULL,
     "choose tiles whose count is near a multiple of what fits at once, or a persistent grid",
     "Nsight Compute: launch configuration rule"},
    {"unequal_blocks",
     "some multiprocessors are done long before others",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_SM_ACTIVE_CYCLES, METRIC_ELAPSED_CYCLES, NONE},
     unequal,
     NULL,
     "cut the long blocks, start them first, or let blocks take tiles from a queue",
     "Nsight Compute: workload imbalance rule"},
    PIPE(TENSOR, "the tensor cores are the busiest pipe",
         "wgmma from shared memory instead of mma.sync; a narrower type where accuracy allows it"),
    PIPE(FMA, "the f32 units are the busiest pipe",
         "tensor cores, for products; else fewer operations: factor out what repeats"),
    PIPE(ALU, "the integer units are the busiest pipe",
         "move index arithmetic out of the loop; strides as constants; vector accesses"),
    PIPE(XU, "the special-function unit is the busiest pipe",
         "fewer special functions: exp2 with a folded factor, part of them as a polynomial on the f32 units"),
    PIPE(FP64, "the units of double precision are the busiest pipe",
         "f32 where accuracy allows it, or compensated f32 sums"),
    PIPE(LSU, "the load-store unit is the busiest pipe",
         "wider loads and stores; shuffles replaced by register tiles"),
    {"issue_slots",
     "the schedulers issue nearly all the time",
     IN(COMPUTE) | IN(BALANCED),
     {METRIC_ISSUE_ACTIVE, METRIC_INSTRUCTIONS, NONE},
     issue_busy,
     of_samples,
     "fewer instructions for the same work: vector accesses, unrolling, hoisted index arithmetic, packed "
     "types",
     "Nsight Compute: issue slot rule"},
    {"short_kernel",
     "the kernel is about as long as its launch",
     IN(LAUNCH),
     {METRIC_DURATION, NONE, NONE},
     short_kernel,
     NULL,
     "more work a launch: fuse it with its neighbours, batch problems, or launch it in a CUDA graph with "
     "programmatic dependent launch",
     "measured: tests/profile"},
};
enum { RULES = sizeof table / sizeof *table };

const finding_rule *findings_rules(int *count)
{
    *count = RULES;
    return table;
}

static int compare(const void *a, const void *b)
{
    const double left = ((const finding *)a)->severity, right = ((const finding *)b)->severity;
    return (left < right) - (left > right);
}

int findings_collect(const evidence *given, finding out[FINDINGS_MAX])
{
    int count = 0;
    _Static_assert((int)RULES <= (int)FINDINGS_MAX, "room for all");
    for (int i = 0; i < RULES; i++) {
        finding *next = &out[count];
        *next = (finding){.rule = &table[i]};
        next->severity = table[i].test(&table[i], given, next->numbers);
        if (!(next->severity > 0.0))
            continue;
        if (table[i].line)
            next->line = profiled_kernel_worst(given->kernel, table[i].line);
        count++;
    }
    qsort(out, (size_t)count, sizeof *out, compare);
    return count;
}
