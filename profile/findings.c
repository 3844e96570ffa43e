/* See findings.h. */
#include "profile/findings.h"
#include "profile/finding_tests.h"
#include <math.h>
#include <stdlib.h>

/* Where a line is at fault. */

static double of_samples(const profile_line *line)
{
    return line->samples;
}

static double of_sectors(const profile_line *line)
{
    return line->excess_sectors;
}

static double of_all_sectors(const profile_line *line)
{
    return line->sectors;
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
#define STALLED(name, kinds, means, change)                                                           \
    {                                                                                                 \
        "stall_" #name, means, kinds, {METRIC_STALL_##name, METRIC_WARP_CYCLES, METRIC_ISSUE_ACTIVE}, \
            finding_stall, of_samples, change, "Nsight Compute: warp state rules"                     \
    }
#define PIPE(name, means, change)                                                           \
    {                                                                                       \
        "pipe_" #name, means, IN(COMPUTE) | IN(BALANCED), {METRIC_PIPE_##name, NONE, NONE}, \
            finding_pipe_busy, NULL, change, "Nsight Compute: pipe utilization rule"        \
    }

static const finding_rule table[] = {
    {"uncoalesced_loads",
     "loads use a part of the sectors that they fetch",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_LOAD_BYTES_PER_SECTOR, METRIC_LOAD_REQUESTS, METRIC_LOAD_SECTORS},
     finding_bytes_per_sector,
     of_sectors,
     "let neighbouring threads read neighbouring addresses; go through shared memory where the layout "
     "forbids it",
     "CUDA C++ Best Practices Guide, coalesced access"},
    {"uncoalesced_stores",
     "stores use a part of the sectors that they send",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_STORE_BYTES_PER_SECTOR, METRIC_STORE_REQUESTS, METRIC_STORE_SECTORS},
     finding_bytes_per_sector,
     of_sectors,
     "let neighbouring threads write neighbouring addresses; transpose the tile in shared memory first",
     "CUDA C++ Best Practices Guide, coalesced access"},
    {"uncoalesced",
     "accesses touch more sectors than their bytes need",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_GLOBAL_SECTORS, METRIC_GLOBAL_IDEAL_SECTORS, METRIC_GLOBAL_REQUESTS},
     finding_counted_sectors,
     of_sectors,
     "let neighbouring threads access neighbouring addresses; go through shared memory where the layout "
     "forbids it",
     "CUDA C++ Best Practices Guide, coalesced access"},
    {"read_again",
     "the same bytes are asked for again",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED),
     {METRIC_GLOBAL_IDEAL_SECTORS, METRIC_LEAST_SECTORS, METRIC_GLOBAL_REQUESTS},
     finding_read_again,
     of_all_sectors,
     "keep what is used again on the chip: tiles in shared memory, sums and rows in registers, one pass "
     "instead of two",
     "CUDA C++ Best Practices Guide, shared memory"},
    {"narrow_accesses",
     "an access of a warp touches few sectors",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_GLOBAL_SECTORS, METRIC_GLOBAL_REQUESTS, METRIC_INSTRUCTIONS},
     finding_narrow_accesses,
     of_all_sectors,
     "where lanes access 4 bytes or fewer each, access 16, and start several loads before the first is used",
     "Little's law; CUDA C++ Best Practices Guide"},
    {"extra_bytes",
     "more bytes go to and from memory than the op needs",
     IN(MEMORY) | IN(BALANCED) | IN(LATENCY),
     {METRIC_DRAM_READ, METRIC_DRAM_WRITE, NONE},
     finding_extra_bytes,
     NULL,
     "keep what is used again on the chip: larger tiles, one pass instead of two, blocks that share data run "
     "side by side",
     "roofline model (Williams et al. 2009)"},
    {"few_bytes_in_flight",
     "narrow loads: too few bytes are under way",
     IN(MEMORY) | IN(LATENCY) | IN(BALANCED),
     {METRIC_LOAD_REQUESTS, METRIC_LOAD_SECTORS, METRIC_DRAM_SOL},
     finding_few_bytes_in_flight,
     of_samples,
     "load 16 bytes a thread, and several of them before the first is used",
     "Little's law; CUDA C++ Best Practices Guide"},
    {"dram_busiest",
     "the card's memory is the busiest part",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_DRAM_SOL, NONE, NONE},
     finding_at_the_limit,
     NULL,
     "only fewer bytes help: fuse with the op before or after, or store in 16 bits",
     "roofline model (Williams et al. 2009)"},
    {"bandwidth_near_its_limit",
     "the card's bandwidth is nearly used up by bytes that the op must move",
     IN(MEMORY) | IN(BALANCED),
     {NONE, NONE, NONE},
     finding_at_measured_limit,
     NULL,
     "only fewer bytes help: fuse with the op before or after, or store in 16 bits",
     "roofline model (Williams et al. 2009)"},
    {"l2_traffic",
     "the L2 cache serves more than the card's memory",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_L2_SOL, METRIC_L2_BYTES, NONE},
     finding_l2_traffic,
     of_samples,
     "read each line once a block: larger tiles in shared memory or registers, TMA multicast in a cluster",
     "hierarchical roofline (Yang et al. 2020)"},
    {"l1_traffic",
     "L1 and shared memory are the busiest part",
     IN(MEMORY) | IN(BALANCED),
     {METRIC_L1_SOL, NONE, NONE},
     finding_l1_traffic,
     of_samples,
     "use a value more often once it is in a register: register tiles, wider loads of shared memory",
     "hierarchical roofline (Yang et al. 2020)"},
    {"bank_conflicts",
     "lanes of a warp meet in a bank of shared memory",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED),
     {METRIC_SHARED_CONFLICTS, METRIC_SHARED_WAVEFRONTS, NONE},
     finding_bank_conflicts,
     of_wavefronts,
     "pad the rows of the tile by one access, or swizzle its columns",
     "CUDA C++ Best Practices Guide, shared memory banks"},
    {"local_memory",
     "registers or arrays lie in local memory",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED),
     {METRIC_LOCAL_LOAD_SECTORS, METRIC_LOCAL_STORE_SECTORS, NONE},
     finding_local_memory,
     of_local,
     "index arrays with constants (unroll the loop), or use fewer registers a thread",
     "CUDA C++ Best Practices Guide, local memory"},
    {"spills",
     "the compiler spilled registers",
     IN(MEMORY) | IN(LATENCY) | IN(COMPUTE) | IN(BALANCED) | IN(OCCUPANCY),
     {METRIC_SPILL_BYTES, METRIC_REGISTERS, NONE},
     finding_spills,
     NULL,
     "smaller tiles a thread, or a looser launch bound",
     "ptxas -v"},
    {"divergence",
     "threads of a warp take different branches",
     IN(COMPUTE) | IN(LATENCY) | IN(BALANCED),
     {METRIC_ACTIVE_THREADS, NONE, NONE},
     finding_divergence,
     of_divergence,
     "let whole warps take a branch: sort or regroup the work, or compute both sides and select",
     "CUDA C++ Best Practices Guide, divergence"},
    {"atomics",
     "much of the traffic is atomics",
     IN(LATENCY) | IN(MEMORY) | IN(BALANCED),
     {METRIC_ATOMIC_REQUESTS, METRIC_REDUCTION_REQUESTS, NONE},
     finding_atomics,
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
    STALLED(NO_INSTRUCTION, IN(LATENCY), "warps wait for code",
            "less code in the loop: unroll less, fewer branches"),
    STALLED(IMC_MISS, IN(LATENCY), "warps wait for constants",
            "pass fewer arguments by value, or read them once at the start"),
    STALLED(BRANCH_RESOLVING, IN(LATENCY), "warps wait for branches",
            "unroll short loops; predicate instead of branching"),
    STALLED(DRAIN, IN(LATENCY), "warps wait for their last stores",
            "spread the stores over the loop, or make them wider"),
    STALLED(SLEEPING, IN(LATENCY), "warps sleep", "poll with a shorter sleep, or wait at an mbarrier"),
    {"low_occupancy",
     "few warps fit a multiprocessor",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_THEORETICAL_OCCUPANCY, METRIC_REGISTERS, METRIC_DYNAMIC_SHARED},
     finding_low_occupancy,
     NULL,
     "need less of what limits: fewer registers a thread, less shared memory a block, another block size",
     "Nsight Compute: occupancy rule"},
    {"occupancy_gap",
     "fewer warps were there than fit",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_ACHIEVED_OCCUPANCY, METRIC_THEORETICAL_OCCUPANCY, NONE},
     finding_occupancy_gap,
     NULL,
     "blocks of equal work, smaller blocks, or a persistent grid that takes tiles from a queue",
     "Nsight Compute: occupancy rule"},
    {"small_grid",
     "the grid does not fill the card",
     IN(OCCUPANCY) | IN(LAUNCH) | IN(LATENCY),
     {METRIC_WAVES, METRIC_GRID_BLOCKS, NONE},
     finding_small_grid,
     NULL,
     "more blocks: smaller tiles, split the inner dimension (split-K), or several problems in a launch",
     "Nsight Compute: launch configuration rule"},
    {"tail",
     "the last wave is partly empty",
     IN(OCCUPANCY) | IN(LATENCY) | IN(COMPUTE) | IN(MEMORY) | IN(BALANCED),
     {METRIC_WAVES, METRIC_GRID_BLOCKS, NONE},
     finding_tail,
     NULL,
     "choose tiles whose count is near a multiple of what fits at once, or a persistent grid",
     "Nsight Compute: launch configuration rule"},
    {"unequal_blocks",
     "some multiprocessors are done long before others",
     IN(OCCUPANCY) | IN(LATENCY),
     {METRIC_SM_ACTIVE_CYCLES, METRIC_ELAPSED_CYCLES, NONE},
     finding_unequal,
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
    {"compute_at_its_limit",
     "the multiprocessors are near their peak",
     IN(COMPUTE),
     {METRIC_SM_SOL, NONE, NONE},
     finding_compute_limit,
     NULL,
     "only less work helps: skip what is masked or zero, share what blocks repeat, or another algorithm",
     "roofline model (Williams et al. 2009)"},
    {"issue_slots",
     "the schedulers issue nearly all the time",
     IN(COMPUTE) | IN(BALANCED),
     {METRIC_ISSUE_ACTIVE, METRIC_INSTRUCTIONS, NONE},
     finding_issue_busy,
     of_samples,
     "fewer instructions for the same work: vector accesses, unrolling, hoisted index arithmetic, packed "
     "types",
     "Nsight Compute: issue slot rule"},
    {"short_kernel",
     "the kernel is about as long as its launch",
     IN(LAUNCH),
     {METRIC_DURATION, NONE, NONE},
     finding_short_kernel,
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
