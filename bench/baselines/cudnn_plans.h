/* The plans that cuDNN has for a graph, those with other arithmetic left out, and running one. */
#ifndef ASSAY_BENCH_CUDNN_PLANS_H
#define ASSAY_BENCH_CUDNN_PLANS_H

#include "bench/baselines/cudnn_graph.h"
#include "bench/baselines/cudnn_limits.h"

/* Engines whose arithmetic is not the op's: f32 operands rounded to tf32, and partial sums held in less than f32. */
static inline int cudnn_is_other_arithmetic(const int *notes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (notes[i] == CUDNN_NOTE_DOWN_CONVERT_INPUTS ||
            notes[i] == CUDNN_NOTE_REDUCED_PRECISION_REDUCTION ||
            (CUDNN_IO_TYPE == CUDNN_FLOAT && notes[i] == CUDNN_NOTE_TENSOR_CORE))
            return 1;
    return 0;
}

static inline int cudnn_is_transform(const int *notes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (notes[i] == CUDNN_NOTE_FFT || notes[i] == CUDNN_NOTE_WINOGRAD ||
            notes[i] == CUDNN_NOTE_WINOGRAD_TILE_6x6 || notes[i] == CUDNN_NOTE_WINOGRAD_TILE_13x13)
            return 1;
    return 0;
}

/* Engine and transforms of a plan from its configuration; 0 if its arithmetic is not wanted. */
static inline int cudnn_describe_engine(cudnn_descriptor config, cudnn_plan *plan)
{
    cudnn_descriptor engine = NULL;
    int64_t count = 0, note_count = 0;
    int notes[CUDNN_NOTE_COUNT];
    plan->engine = -1;
    plan->transforms = 0;
    if (cudnn.create_descriptor(CUDNN_D_ENGINE, &engine) != CUDNN_OK)
        return 0;
    int good = cudnn.get_attribute(config, CUDNN_A_ENGINECFG_ENGINE, CUDNN_T_DESCRIPTOR, 1, &count,
                                   &engine) == CUDNN_OK &&
               cudnn.get_attribute(engine, CUDNN_A_ENGINE_GLOBAL_INDEX, CUDNN_T_INT64, 1, &count,
                                   &plan->engine) == CUDNN_OK;
    if (good && cudnn.get_attribute(engine, CUDNN_A_ENGINE_NUMERICAL_NOTE, CUDNN_T_NUMERICAL_NOTE,
                                    CUDNN_NOTE_COUNT, &note_count, notes) == CUDNN_OK) {
        good = !cudnn_is_other_arithmetic(notes, note_count);
        plan->transforms = cudnn_is_transform(notes, note_count);
    }
    cudnn.destroy_descriptor(engine);
    return good;
}

/* Many configurations cannot be made into a plan here: that is an answer, no failure of the graph. */
static inline int cudnn_make_plan(cudnn_graph *g, cudnn_descriptor config, cudnn_plan *out)
{
    int64_t count = 0;
    cudnn_descriptor plan = NULL;
    if (g->owned_count == CUDNN_MOST_DESCRIPTORS ||
        cudnn.create_descriptor(CUDNN_D_EXECUTION_PLAN, &plan) != CUDNN_OK)
        return 0;
    int good = cudnn.set_attribute(plan, CUDNN_A_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_T_DESCRIPTOR, 1,
                                   &config) == CUDNN_OK;
    if (good && g->handle)
        good = cudnn.set_attribute(plan, CUDNN_A_EXECUTION_PLAN_HANDLE, CUDNN_T_HANDLE, 1, &g->handle) ==
               CUDNN_OK;
    if (good && g->device_properties)
        good = cudnn.set_attribute(plan, CUDNN_A_EXECUTION_PLAN_DEVICEPROP, CUDNN_T_DESCRIPTOR, 1,
                                   &g->device_properties) == CUDNN_OK;
    good = good && cudnn.finalize(plan) == CUDNN_OK &&
           cudnn.get_attribute(plan, CUDNN_A_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_T_INT64, 1, &count,
                               &out->workspace_bytes) == CUDNN_OK &&
           out->workspace_bytes <= CUDNN_WORKSPACE_LIMIT;
    if (!good) {
        cudnn.destroy_descriptor(plan);
        return 0;
    }
    g->owned[g->owned_count++] = out->plan = plan;
    return 1;
}

/* The configurations one mode of the heuristics offers, best guess first; returns how many. */
static inline int64_t cudnn_ask_heuristics(cudnn_graph *g, int mode, cudnn_descriptor *configs, int64_t room)
{
    int64_t offered = 0;
    cudnn_descriptor heuristics = cudnn_make(g, CUDNN_D_ENGINEHEUR, "heuristics");
    cudnn_set_descriptor(g, heuristics, CUDNN_A_ENGINEHEUR_OPERATION_GRAPH, g->graph);
    cudnn_set_int(g, heuristics, CUDNN_A_ENGINEHEUR_MODE, CUDNN_T_HEUR_MODE, mode);
    if (g->device_properties)
        cudnn_set_descriptor(g, heuristics, CUDNN_A_ENGINEHEUR_DEVICEPROP, g->device_properties);
    if (g->failed || cudnn.finalize(heuristics) != CUDNN_OK)
        return 0;
    for (int64_t i = 0; i < room; i++)
        configs[i] = cudnn_make(g, CUDNN_D_ENGINECFG, "configuration");
    if (g->failed || cudnn.get_attribute(heuristics, CUDNN_A_ENGINEHEUR_RESULTS, CUDNN_T_DESCRIPTOR, room,
                                         &offered, configs) != CUDNN_OK)
        return 0;
    return offered < room ? offered : room;
}

/* Add the plan of a configuration, if it can be made and computes what is wanted. */
static inline void cudnn_add_plan(cudnn_graph *g, cudnn_descriptor config, char *seen, int64_t engines)
{
    cudnn_plan *plan = &g->plans[g->plan_count];
    const int wanted = cudnn_describe_engine(config, plan);
    if (plan->engine >= 0 && plan->engine < engines)
        seen[plan->engine] = 1;
    g->plan_count += wanted && cudnn_make_plan(g, config, plan);
}

/* A configuration of an engine by its number, every knob at its default; NULL if this graph has none. */
static inline cudnn_descriptor cudnn_configure_engine(cudnn_graph *g, int64_t number)
{
    cudnn_descriptor engine = cudnn_make(g, CUDNN_D_ENGINE, "engine");
    cudnn_descriptor config = cudnn_make(g, CUDNN_D_ENGINECFG, "configuration");
    const int good =
        config && engine &&
        cudnn.set_attribute(engine, CUDNN_A_ENGINE_OPERATION_GRAPH, CUDNN_T_DESCRIPTOR, 1, &g->graph) ==
            CUDNN_OK &&
        cudnn.set_attribute(engine, CUDNN_A_ENGINE_GLOBAL_INDEX, CUDNN_T_INT64, 1, &number) == CUDNN_OK &&
        cudnn.finalize(engine) == CUDNN_OK &&
        cudnn.set_attribute(config, CUDNN_A_ENGINECFG_ENGINE, CUDNN_T_DESCRIPTOR, 1, &engine) == CUDNN_OK &&
        cudnn.finalize(config) == CUDNN_OK;
    return good ? config : NULL;
}

/* Fill g->plans: the heuristics' configurations, modes A and B (models of the engines' speed) and the fallback's, then every engine that no
 * mode named, until the list is full. A configuration that two modes offer is timed twice, which does no harm. */
static inline int cudnn_list_plans(cudnn_graph *g)
{
    enum { ROOM = 64, MOST_ENGINES = 256 };
    static const int modes[] = {CUDNN_HEUR_A, CUDNN_HEUR_B, CUDNN_HEUR_FALLBACK};
    cudnn_descriptor configs[ROOM];
    char seen[MOST_ENGINES] = {0};
    int64_t engines = 0, count = 0;
    g->plan_count = g->offered = 0;
    if (g->failed || cudnn.get_attribute(g->graph, CUDNN_A_OPERATIONGRAPH_ENGINE_COUNT, CUDNN_T_INT64, 1,
                                         &count, &engines) != CUDNN_OK)
        engines = 0;
    engines = engines < MOST_ENGINES ? engines : MOST_ENGINES;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        const int64_t offered = cudnn_ask_heuristics(g, modes[m], configs, ROOM);
        g->offered += (int)offered;
        for (int64_t i = 0; i < offered && g->plan_count < CUDNN_MOST_PLANS; i++)
            cudnn_add_plan(g, configs[i], seen, engines);
    }
    for (int64_t i = 0; i < engines && g->plan_count < CUDNN_MOST_PLANS; i++) {
        cudnn_descriptor config = seen[i] ? NULL : cudnn_configure_engine(g, i);
        g->offered += config != NULL;
        if (config)
            cudnn_add_plan(g, config, seen, engines);
    }
    return g->plan_count;
}

/* What a plan's tensors are at run time: device memory, or for BY_VALUE tensors a number in host memory. */
enum { CUDNN_MOST_BINDINGS = 8 };
typedef struct cudnn_bindings {
    int count;
    int64_t uid[CUDNN_MOST_BINDINGS];
    void *pointer[CUDNN_MOST_BINDINGS];
} cudnn_bindings;

static inline void cudnn_bind(cudnn_bindings *b, int64_t uid, const void *pointer)
{
    b->uid[b->count] = uid;
    memcpy(&b->pointer[b->count++], &pointer, sizeof pointer); /* inputs are const, cuDNN's type is not */
}

/* Enqueue a plan on the handle's stream. */
static inline int cudnn_run(cudnn_handle handle, cudnn_descriptor plan, const cudnn_bindings *b,
                            void *workspace)
{
    cudnn_descriptor pack = NULL;
    int status = cudnn.create_descriptor(CUDNN_D_VARIANT_PACK, &pack);
    if (status != CUDNN_OK)
        return status;
    status = cudnn.set_attribute(pack, CUDNN_A_VARIANT_PACK_UNIQUE_IDS, CUDNN_T_INT64, b->count, b->uid);
    if (status == CUDNN_OK)
        status = cudnn.set_attribute(pack, CUDNN_A_VARIANT_PACK_DATA_POINTERS, CUDNN_T_VOID_PTR, b->count,
                                     b->pointer);
    if (status == CUDNN_OK)
        status = cudnn.set_attribute(pack, CUDNN_A_VARIANT_PACK_WORKSPACE, CUDNN_T_VOID_PTR, 1, &workspace);
    if (status == CUDNN_OK)
        status = cudnn.finalize(pack);
    if (status == CUDNN_OK)
        status = cudnn.execute(handle, plan, pack);
    cudnn.destroy_descriptor(pack);
    return status;
}

static inline assay_status cudnn_check(int status, const char *what)
{
    return status == CUDNN_OK ? ASSAY_OK
                              : baseline_fail(ASSAY_ERR_DEVICE, what, cudnn.get_error_string(status));
}

#endif
