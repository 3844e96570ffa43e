/* Candidates that enqueue work on the device's stream: variants, baseline modules, the device copy, the empty kernel.
 */
#include "bench/run/candidate.h"
#include "bench/run/instruction_count.h"
#include "bench/run/problem_contents.h"
#include "bench/timing/timing.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct launch_candidate {
    timing timing;
    assay_device *device;
    problem_set *set; /* NULL for the empty kernel */
    assay_run_fn run;
    assay_release_fn release_baseline;
    assay_notes_fn notes;
    void *copy_from[PROBLEM_MOST_SLOTS], *copy_to[PROBLEM_MOST_SLOTS];
    int64_t copy_bytes;
} launch_candidate;

const char *candidate_math_mode(const char *name)
{
    return strstr(name, "tf32") ? "tf32" : "ieee";
}

int candidate_is_remote(const char *baseline)
{
    return strncmp(baseline, "torch_", 6) == 0 || strncmp(baseline, "triton", 6) == 0;
}

int candidate_is_compiled(const char *baseline)
{
    return strncmp(baseline, "torch_compile", 13) == 0;
}

int candidate_is_expensive(const char *baseline)
{
    return candidate_is_compiled(baseline) || strncmp(baseline, "triton", 6) == 0;
}

/* What a baseline says of its failure, else what the status says. */
static const char *describe_failure(const launch_candidate *l, assay_status status)
{
    const assay_baseline_notes *notes = l->notes ? l->notes() : NULL;
    return notes && notes->reason[0] ? notes->reason : assay_status_describe(status);
}

static assay_status enqueue_run(void *context, int slot, assay_error *error)
{
    const launch_candidate *l = context;
    const assay_status status = l->run(l->set->args[slot], assay_device_stream(l->device));
    return status == ASSAY_OK
               ? status
               : assay_error_set(error, status, "the launch failed: %s", describe_failure(l, status));
}

static assay_status enqueue_copy(void *context, int slot, assay_error *error)
{
    const launch_candidate *l = context;
    return assay_device_copy(l->device, l->copy_to[slot], l->copy_from[slot], l->copy_bytes, error);
}

static assay_status enqueue_empty(void *context, int slot, assay_error *error)
{
    (void)slot;
    return assay_device_launch_empty(((const launch_candidate *)context)->device, error);
}

static assay_status measure(candidate *self, timing_mode mode, const sample_plan *plan, sample_set *out,
                            assay_error *error)
{
    return timing_measure(&((launch_candidate *)self->state)->timing, mode, plan, out, error);
}

static assay_status change_inputs(void *context, int slot, int64_t contents, assay_error *error)
{
    return problem_contents_set(((const launch_candidate *)context)->set, slot, contents, error);
}

static assay_status change(candidate *self, int slot, int64_t contents, assay_error *error)
{
    return change_inputs(self->state, slot, contents, error);
}

static assay_status compare_contents(candidate *self, timing_mode mode, const char *flush, double *other_us,
                                     double *same_us, assay_error *error)
{
    return timing_compare_contents(&((launch_candidate *)self->state)->timing, mode, flush, other_us, same_us,
                                   error);
}

static void stay(candidate *self)
{
    timing_stay(&((launch_candidate *)self->state)->timing);
}

static int last_slot(candidate *self, timing_mode mode)
{
    return timing_last_slot(&((launch_candidate *)self->state)->timing, mode);
}

static double launch_us(candidate *self)
{
    return ((launch_candidate *)self->state)->timing.launch_us;
}

/* The least of some launches: threads that wait for work execute instructions as well. */
static double instructions(candidate *self)
{
    enum { LAUNCHES = 5 };
    launch_candidate *l = self->state;
    double least = -1.0;
    for (int i = 0; i < LAUNCHES; i++) {
        const double before = instruction_count_now();
        if (before < 0 || enqueue_run(l, 0, NULL) != ASSAY_OK ||
            assay_device_sync_stream(l->device, NULL) != ASSAY_OK)
            return -1.0;
        const double count = instruction_count_now() - before;
        least = least < 0 || count < least ? count : least;
    }
    return least;
}

/* A call that may wait cannot be captured. */
static void describe_launch(candidate *self, char *out, size_t out_bytes)
{
    enum { MOST = 8 };
    launch_candidate *l = self->state;
    assay_launch_shape shapes[MOST];
    int count = 0;
    size_t used = 0;
    out[0] = '\0';
    if (l->timing.may_wait || assay_device_list_launches(l->device, l->run, l->set->args[0], shapes, MOST,
                                                         &count, NULL) != ASSAY_OK)
        return;
    for (int i = 0; i < count && i < MOST && used < out_bytes; i++)
        used += (size_t)snprintf(out + used, out_bytes - used, "%sgrid %ux%ux%u, block %ux%ux%u, %lld B",
                                 i ? "; " : "", shapes[i].grid[0], shapes[i].grid[1], shapes[i].grid[2],
                                 shapes[i].block[0], shapes[i].block[1], shapes[i].block[2],
                                 (long long)shapes[i].shared_bytes);
    if (count > MOST && used < out_bytes)
        snprintf(out + used, out_bytes - used, "; %d more", count - MOST);
}

static void release(candidate *self)
{
    launch_candidate *l = self->state;
    if (!l)
        return;
    timing_release(&l->timing);
    if (l->release_baseline)
        l->release_baseline();
    for (int i = 0; i < PROBLEM_MOST_SLOTS; i++) {
        if (l->copy_from[i])
            assay_device_free(l->device, l->copy_from[i]);
        if (l->copy_to[i])
            assay_device_free(l->device, l->copy_to[i]);
    }
    free(l);
    self->state = NULL;
}

typedef assay_status (*enqueue_fn)(void *context, int slot, assay_error *error);

static assay_status start(candidate *self, assay_device *device, result_kind kind, enqueue_fn enqueue,
                          int slots, launch_candidate **out, assay_error *error)
{
    launch_candidate *l = calloc(1, sizeof *l);
    if (!l)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a candidate");
    l->device = device;
    self->state = l;
    self->kind = kind;
    self->measure = measure;
    self->last_slot = last_slot;
    self->stay = stay;
    self->launch_us = launch_us;
    self->release = release;
    snprintf(self->math_mode, sizeof self->math_mode, "%s", candidate_math_mode(self->name));
    *out = l;
    const int has_inputs = enqueue == enqueue_run;
    const timing_call call = {
        .context = l, .enqueue = enqueue, .change = has_inputs ? change_inputs : NULL, .slots = slots};
    self->change = has_inputs ? change : NULL;
    self->compare_contents = has_inputs ? compare_contents : NULL;
    return timing_init(&l->timing, device, &call, error);
}

assay_status candidate_make_variant(candidate *self, problem_set *set, const char *variant, assay_run_fn run,
                                    assay_error *error)
{
    launch_candidate *l = NULL;
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, "%s", variant);
    const assay_status status =
        start(self, set->device, RESULT_VARIANT, enqueue_run, set->slot_count, &l, error);
    if (status != ASSAY_OK)
        return status;
    self->writes_output = 1;
    l->set = set;
    l->run = run;
    self->describe_launch = describe_launch;
    if (strcmp(assay_device_get_info(set->device)->kind, "cpu") == 0)
        self->instructions = instructions;
    return ASSAY_OK;
}

void candidate_may_wait(candidate *self)
{
    ((launch_candidate *)self->state)->timing.may_wait = 1;
}

/* POSIX promises that an object pointer from dlsym can hold a function's address; ISO C has no cast for it.
 */
static void find_symbol(void *library, const char *op, const char *suffix, void *function)
{
    char symbol[ASSAY_NAME_MAX + 16];
    snprintf(symbol, sizeof symbol, "%s_%s", op, suffix);
    void *found = dlsym(library, symbol);
    memcpy(function, &found, sizeof found);
}

static assay_status load_baseline(launch_candidate *l, const char *path, assay_error *error)
{
    if (access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "not built here (%s is missing)", path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot load the library baseline: %s",
                               dlerror());
    assay_prepare_fn prepare = NULL;
    find_symbol(library, l->set->spec->name, "run", &l->run);
    find_symbol(library, l->set->spec->name, "prepare", &prepare);
    if (!l->run)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s does not export %s_run", path,
                               l->set->spec->name);
    find_symbol(library, l->set->spec->name, "notes", &l->notes);
    find_symbol(library, l->set->spec->name, "release", &l->release_baseline);
    const assay_status status = prepare ? prepare(l->set->args[0], assay_device_stream(l->device)) : ASSAY_OK;
    return status == ASSAY_OK ? status : assay_error_set(error, status, "%s", describe_failure(l, status));
}

static void take_notes(candidate *self, const launch_candidate *l)
{
    const assay_baseline_notes *notes = l->notes ? l->notes() : NULL;
    if (!notes)
        return;
    snprintf(self->version, sizeof self->version, "%s", notes->version);
    snprintf(self->choice, sizeof self->choice, "%s", notes->choice);
    if (notes->is_unranked) {
        self->kind = RESULT_UNRANKED_BASELINE;
        self->writes_output = 0; /* there is no reference for what it computes */
    }
}

assay_status candidate_make_baseline_module(candidate *self, problem_set *set, const char *baseline,
                                            const char *path, assay_error *error)
{
    launch_candidate *l = NULL;
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, RESULT_BASELINE_PREFIX "%s", baseline);
    const assay_status status =
        start(self, set->device, RESULT_BASELINE, enqueue_run, set->slot_count, &l, error);
    if (status != ASSAY_OK)
        return status;
    self->writes_output = 1;
    l->set = set;
    const assay_status loaded = load_baseline(l, path, error);
    take_notes(self, l);
    return loaded;
}

int64_t candidate_copy_bytes(double op_bytes)
{
    const int64_t half = (int64_t)(op_bytes / 2.0), step = 4096, from = (int64_t)1 << 20;
    return half < from ? half : (half + step - 1) / step * step;
}

assay_status candidate_make_copy(candidate *self, problem_set *set, assay_error *error)
{
    launch_candidate *l = NULL;
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, RESULT_BASELINE_PREFIX "copy");
    assay_status status =
        start(self, set->device, RESULT_UNRANKED_BASELINE, enqueue_copy, set->slot_count, &l, error);
    if (status != ASSAY_OK)
        return status;
    l->set = set;
    l->copy_bytes = candidate_copy_bytes(set->bytes);
    for (int i = 0; i < set->slot_count && status == ASSAY_OK; i++) {
        status = assay_device_alloc(l->device, l->copy_bytes, &l->copy_from[i], error);
        if (status == ASSAY_OK)
            status = assay_device_alloc(l->device, l->copy_bytes, &l->copy_to[i], error);
        if (status == ASSAY_OK) /* what is copied does not matter, that it is defined does */
            status = assay_device_fill(l->device, l->copy_from[i], 0x3c, l->copy_bytes, error);
        if (status == ASSAY_OK) /* the first touch of host pages must not be timed on the CPU device */
            status = assay_device_fill(l->device, l->copy_to[i], 0, l->copy_bytes, error);
    }
    return status;
}

assay_status candidate_make_empty(candidate *self, assay_device *device, assay_error *error)
{
    launch_candidate *l = NULL;
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, "empty kernel");
    return start(self, device, RESULT_VARIANT, enqueue_empty, 1, &l, error);
}
