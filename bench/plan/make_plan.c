/* Planning: which groups there are, and which of them have to be measured. */
#include "bench/plan/plan.h"
#include "bench/run/candidate.h"
#include "core/list.h"
#include "results/case_verdict.h"
#include "results/identity.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void fill_result_group(const plan *p, const planned_group *g, result_group *out)
{
    *out = (result_group){.ws = p->ws,
                          .op = g->op,
                          .dtype = g->dtype,
                          .size = g->size,
                          .device = &p->device,
                          .method = &g->method};
}

/* The result there would be, as far as it is known before it is measured. `found` says of a baseline whether it is ranked. */
static result *expect(const plan *p, const planned_group *g, const char *name, const module_record *module,
                      const result *found)
{
    bench_record record = {.module = module, .kind = found->id.kind};
    result_group common;
    fill_result_group(p, g, &common);
    snprintf(record.name, sizeof record.name, "%s", name);
    snprintf(record.math_mode, sizeof record.math_mode, "%s",
             g->dtype == ASSAY_TF32 ? "tf32" : candidate_math_mode(name));
    return result_begin(&common, &record, NULL);
}

/* Another method that tells at least as much: as many and as long repetitions, of all these modes. */
static int fuller_settings(const result_method *then, const result_method *now)
{
    return then->repetitions >= now->repetitions && then->sample_ms >= now->sample_ms &&
           then->seed == now->seed && (then->modes & now->modes) == now->modes;
}

static found_result classify(const result *r)
{
    return r->status == RESULT_OK            ? FOUND_TIMED
           : r->status == RESULT_UNSTABLE    ? FOUND_UNSTABLE
           : r->status == RESULT_UNAVAILABLE ? FOUND_UNAVAILABLE
           : result_is_too_large(r)          ? FOUND_TOO_LARGE
                                             : FOUND_FAILED;
}

static result_age find_age(const result *found, const result *now, char *differs, size_t bytes)
{
    const unsigned settings = IDENTITY_BIT(IDENTITY_SETTINGS), method = IDENTITY_BIT(IDENTITY_METHOD);
    const unsigned other = result_differs(found, now, TIMING_MODES, IDENTITY_FRESH, ", now ", differs, bytes);
    if (other == 0)
        return RESULT_FRESH;
    /* More modes make the method's text another one; each mode asked for must be the same. */
    if ((other & ~(settings | method)) || !fuller_settings(&found->method, &now->method))
        return RESULT_STALE;
    for (int m = 0; m < TIMING_MODES; m++)
        if ((now->method.modes & timing_mode_bit(m)) && result_differs(found, now, m, method, "", NULL, 0))
            return RESULT_STALE;
    return RESULT_FULLER;
}

/* Look at a result file: what it says, and how old it is. `module` is the variant's, NULL for baselines. `differs` (may be NULL) gets what is
 * another in a stale one, in words. */
static found_result plan_look(const plan *p, const planned_group *g, const char *name,
                              const module_record *module, result_age *age, char *differs, size_t bytes)
{
    result_group common;
    char path[4400];
    result *r = NULL;
    *age = RESULT_STALE;
    if (differs)
        differs[0] = '\0';
    fill_result_group(p, g, &common);
    result_path(&common, name, path, sizeof path);
    /* absent or broken: to be measured, either way */
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return FOUND_NOTHING;
    const found_result found = classify(r);
    result *now = expect(p, g, name, module, r);
    if (now)
        *age = find_age(r, now, differs, bytes);
    result_free(now);
    result_free(r);
    return found;
}

static int is_timed(found_result found)
{
    return found == FOUND_TIMED || found == FOUND_UNSTABLE;
}

/* A quick look is no reason to lose a result that took longer. */
static int is_kept(const plan *p, found_result found, result_age age)
{
    return p->options->quick && !p->options->force && age == RESULT_FULLER && is_timed(found);
}

static void add_variant(plan *p, planned_group *g, const assay_case *c)
{
    if (g->variant_count == PLAN_MOST_VARIANTS)
        return;
    planned_variant *v = &g->variants[g->variant_count++];
    module_record record;
    case_verdict verdict;
    snprintf(v->name, sizeof v->name, "%s", c->variant);
    v->verified = v->fresh = v->kept = 0;
    v->differs[0] = '\0';
    if (!planned_module(p, g, v->name, &record))
        return;
    case_verdict_read(p->ws, c, &record, &verdict);
    v->verified = strcmp(verdict.status, "pass") == 0;
    result_age age;
    const found_result found = plan_look(p, g, v->name, &record, &age, v->differs, sizeof v->differs);
    v->kept = v->verified && is_kept(p, found, age);
    v->fresh =
        v->kept || (age == RESULT_FRESH && v->verified && (is_timed(found) || found == FOUND_TOO_LARGE));
    case_verdict_release(&verdict);
    module_record_release(&record);
}

static int was_not_offered(const char *path)
{
    result *r = NULL;
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return 0;
    const int was = result_is_not_offered(r);
    result_free(r);
    return was;
}

/* A baseline that was not there then may be there now: torch, or a module that is newer than what was written of it. One that is
 * there and said that it does not offer this problem will say so again. */
static int is_still_absent(const plan *p, const planned_group *g, const char *name, const char *full)
{
    char path[4400], file[4400];
    struct stat module, written;
    result_group common;
    fill_result_group(p, g, &common);
    result_path(&common, full, file, sizeof file);
    if (candidate_is_remote(name))
        return !p->torch_here || was_not_offered(file);
    snprintf(path, sizeof path, "%s/%s.%s.%s.so", p->ws->baselines, g->op->spec->name, name,
             assay_dtype_name(g->dtype));
    return stat(path, &module) != 0 || (stat(file, &written) == 0 && written.st_mtime > module.st_mtime);
}

static int is_neutral(const char *baseline)
{
    return strcmp(baseline, "copy") == 0 || strcmp(baseline, "reference") == 0;
}

static void add_baseline(plan *p, planned_group *g, const char *name)
{
    char full[RESULT_FULL_NAME_MAX];
    /* Baselines named after tf32 belong to cases in that mode, or to f32 where an op has none; what computes otherwise does not belong to
     * cases in that mode. */
    const int is_tf32 = strcmp(candidate_math_mode(name), "tf32") == 0;
    const int has_mode = opspec_has_dtype(g->op->spec, ASSAY_TF32);
    const int fits = g->dtype == ASSAY_TF32 ? is_tf32 || is_neutral(name)
                                            : !is_tf32 || (g->dtype == ASSAY_F32 && !has_mode);
    if (g->baseline_count == PLAN_MOST_BASELINES || !name[0] || !fits)
        return;
    planned_baseline *baseline = &g->baselines[g->baseline_count++];
    snprintf(baseline->name, sizeof baseline->name, "%.63s", name);
    snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", name);
    result_age age;
    const found_result found = plan_look(p, g, full, NULL, &age, NULL, 0);
    baseline->kept = is_kept(p, found, age);
    baseline->fresh = baseline->kept || age == RESULT_FRESH;
    if (found == FOUND_UNAVAILABLE && !is_still_absent(p, g, baseline->name, full))
        baseline->fresh = 0;
}

static int op_has_baseline(const opspec *spec, const char *name)
{
    for (int i = 0; i < spec->baseline_count; i++)
        if (strcmp(spec->baselines[i], name) == 0)
            return 1;
    return is_neutral(name);
}

assay_status bench_check_baselines(workspace *ws, const case_filter *filter, const char *baselines,
                                   assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    char name[ASSAY_NAME_MAX], there[1024] = "copy, reference";
    assay_status status = workspace_list_cases(ws, filter, 0, &cases, &count, error);
    for (list_item item = {0}; status == ASSAY_OK && count > 0 && list_next(baselines, &item);) {
        int known = 0;
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        for (int i = 0; i < count && !known; i++)
            known = op_has_baseline(cases[i].op->spec, name);
        if (known)
            continue;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < cases[i].op->spec->baseline_count; j++)
                if (!list_has(there, cases[i].op->spec->baselines[j]))
                    snprintf(there + strlen(there), sizeof there - strlen(there), ", %s",
                             cases[i].op->spec->baselines[j]);
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--baselines: no op here has a baseline \"%s\"; there are: %s", name, there);
    }
    free(cases);
    return status;
}

/* On CUDA the op's own list and the device copy; on the CPU device its C reference and the copy, since
 * library baselines need a GPU and times of the two devices are never set against each other. Of baselines that were asked for those which the op has. */
static void add_baselines(plan *p, planned_group *g)
{
    const int cuda = strcmp(p->device.kind, "cuda") == 0;
    if (p->options->baselines) {
        char name[ASSAY_NAME_MAX];
        for (list_item item = {0}; list_next(p->options->baselines, &item);) {
            snprintf(name, sizeof name, "%.*s", item.length, item.text);
            if (op_has_baseline(g->op->spec, name))
                add_baseline(p, g, name);
        }
        return;
    }
    for (int i = 0; cuda && i < g->op->spec->baseline_count; i++)
        add_baseline(p, g, g->op->spec->baselines[i]);
    if (!cuda)
        add_baseline(p, g, "reference");
    add_baseline(p, g, "copy");
}

static void choose_method(const plan *p, planned_group *g)
{
    const bench_options *o = p->options;
    bench_method *m = &g->method;
    bench_method_default(m, p->device.kind, g->op->spec->family, o->quick);
    m->locked_mhz = o->lock_clocks_mhz;
    if (o->seed > 0)
        m->seed = o->seed;
    if (o->repetitions > 0)
        m->repetitions = o->repetitions;
    if (o->warmup_ms >= 0.0)
        m->warmup_ms = o->warmup_ms;
    if (o->sample_ms >= 0.0)
        m->sample_ms = o->sample_ms;
    if (o->bound_s >= 0.0)
        m->bound_s = o->bound_s;
    if (o->flush)
        snprintf(m->flush, sizeof m->flush, "%s", o->flush);
    if (o->modes)
        m->modes = o->modes;
}

static int belongs(const planned_group *g, const assay_case *c)
{
    return g->op == c->op && g->dtype == c->dtype && strcmp(g->size, c->size) == 0;
}

static void decide(const plan *p, planned_group *g)
{
    int verified = 0, stale = 0;
    for (int i = 0; i < g->variant_count; i++) {
        verified += g->variants[i].verified;
        stale += g->variants[i].verified && (!g->variants[i].fresh || p->options->force);
    }
    for (int i = 0; i < g->baseline_count && verified > 0;
         i++) /* baselines alone are nothing to measure for */
        stale += !g->baselines[i].fresh;
    g->stale = stale > 0;
}

/* Baselines that were not asked for are not looked for: that starts a process. */
static int wants_torch(const plan *p, const assay_case *cases, int count)
{
    if (strcmp(p->device.kind, "cuda") != 0 || (p->options->baselines && !p->options->baselines[0]))
        return 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < cases[i].op->spec->baseline_count; j++)
            if (candidate_is_remote(cases[i].op->spec->baselines[j]))
                return 1;
    return 0;
}

assay_status plan_read_device(plan *p, assay_error *error)
{
    assay_device *device = NULL;
    const assay_status status = assay_device_open(p->ws->device, p->options->device_ordinal, &device, error);
    if (status != ASSAY_OK)
        return status;
    p->device = *assay_device_get_info(device);
    assay_device_close(device);
    workspace_use_slug(p->ws, p->device.slug);
    return ASSAY_OK;
}

assay_status plan_make(plan *p, const case_filter *filter, assay_error *error)
{
    assay_case *cases = NULL;
    char reason[256];
    int count = 0;
    assay_status status = workspace_list_cases(p->ws, filter, 0, &cases, &count, error);
    if (status != ASSAY_OK)
        return status;
    p->torch_here = wants_torch(p, cases, count) &&
                    torch_server_possible(p->ws, p->options->python, reason, sizeof reason);
    p->groups = calloc((size_t)(count > 0 ? count : 1), sizeof *p->groups);
    if (!p->groups)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d groups", count);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        planned_group *g = p->group_count > 0 ? &p->groups[p->group_count - 1] : NULL;
        if (!g || !belongs(g, &cases[i])) {
            g = &p->groups[p->group_count++];
            g->op = cases[i].op;
            g->dtype = cases[i].dtype;
            snprintf(g->size, sizeof g->size, "%s", cases[i].size);
            choose_method(p, g);
            add_baselines(p, g);
        }
        add_variant(p, g, &cases[i]);
    }
    for (int i = 0; i < p->group_count && status == ASSAY_OK; i++)
        decide(p, &p->groups[i]);
    free(cases);
    return status;
}

void plan_release(plan *p)
{
    free(p->groups);
    p->groups = NULL;
    p->group_count = 0;
}

static void count_variant(const plan *p, const planned_group *g, const planned_variant *v,
                          bench_summary *summary)
{
    result_age age;
    const int known = v->measured || v->fresh;
    const found_result found =
        v->verified && known ? plan_look(p, g, v->name, NULL, &age, NULL, 0) : FOUND_NOTHING;
    summary->cases++;
    summary->refused += !v->verified;
    summary->left += v->verified && !known;
    summary->timed += is_timed(found);
    summary->fresh += is_timed(found) && !v->measured;
    summary->kept += v->kept;
    summary->unstable += found == FOUND_UNSTABLE;
    summary->too_large += found == FOUND_TOO_LARGE;
    summary->failed += found == FOUND_FAILED;
}

void plan_count(const plan *p, const planned_group *g, bench_summary *summary)
{
    char full[RESULT_FULL_NAME_MAX];
    for (int i = 0; i < g->variant_count; i++)
        count_variant(p, g, &g->variants[i], summary);
    for (int i = 0; i < g->baseline_count; i++) {
        result_age age;
        snprintf(full, sizeof full, RESULT_BASELINE_PREFIX "%.63s", g->baselines[i].name);
        const int known = g->baselines[i].measured || g->baselines[i].fresh;
        const found_result found = known ? plan_look(p, g, full, NULL, &age, NULL, 0) : FOUND_NOTHING;
        summary->baselines_timed += is_timed(found);
        summary->kept += g->baselines[i].kept;
        summary->baselines_unavailable += found == FOUND_UNAVAILABLE;
    }
}
