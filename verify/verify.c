/* Planning, sharing the cases among jobs; see verify.h. */
#include "verify/verify.h"
#include "core/list.h"
#include "core/parallel_for.h"
#include "verify/judge.h"
#include "core/output_folder.h"
#include "verify/parallel.h"
#include "verify/summary.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void print_plan(const planned_case *plan, int count)
{
    for (int i = 0; i < count; i++) {
        char name[400];
        case_name(&plan[i].c, name, sizeof name);
        printf("%s\n", name);
    }
}

enum { MOST_IN_GROUP = 32 };

/* A job's cases [at, end): the one that is being judged and those behind it. In memory that all jobs share. */
typedef struct job_place {
    int at, end;
} job_place;

typedef struct job_context {
    judge j;
    const planned_case *plan;
    int count, most;   /* cases of one group */
    int threads;       /* of a job */
    atomic_int *next;  /* the first case that no job has taken */
    job_place *places; /* of the jobs */
    job_place *own;    /* in a job: its own */
} job_context;

/* Take what is left of the group that an earlier process of this job was lost over, or the next cases of one op, dtype and size. Returns
 * how many, 0 when all are taken. */
static int take_group(job_context *c, int *first)
{
    *first = c->own->at;
    if (c->own->at < c->own->end)
        return c->own->end - c->own->at;
    *first = atomic_load(c->next);
    for (;;) {
        const int n = *first < c->count ? verify_plan_group(c->plan, c->count, *first, c->most) : 0;
        if (n == 0 || atomic_compare_exchange_weak(c->next, first, *first + n))
            return n;
    }
}

static void note_case(void *context, const planned_case *planned)
{
    job_context *c = context;
    c->own->at = (int)(planned - c->plan);
}

static assay_status judge_share(void *context, int job, parallel_report *report, verify_summary *summary,
                                assay_error *error)
{
    job_context *c = context; /* this process's own */
    assay_status status = ASSAY_OK;
    int first, n;
    c->own = &c->places[job];
    parallel_for_limit(c->threads);
    c->j.summary = summary;
    c->j.report = report;
    c->j.begins = note_case;
    c->j.context = c;
    while (status == ASSAY_OK && !summary->interrupted && (n = take_group(c, &first)) > 0) {
        *c->own = (job_place){first, first + n};
        status = verify_judge_group(&c->j, c->plan + first, n, error);
        c->own->at = c->own->end;
    }
    verify_end_worker(&c->j);
    return status;
}

/* It holds no kernel, so this is the work of an op's reference, or of a kernel that could reach it. */
static int note_loss(void *context, int job, const char *how, verify_summary *summary)
{
    const job_context *c = context;
    job_place *place = &c->places[job];
    char name[400], reason[256];
    if (place->at >= place->end)
        return 0;
    case_name(&c->plan[place->at++].c, name, sizeof name);
    snprintf(reason, sizeof reason, "the judging process %s; does the op's reference crash?", how);
    summary_add_error(summary, name, reason, ASSAY_EXIT_ENVIRONMENT);
    return 1;
}

/* On a GPU the time of a case is mostly its reference's, on one core: half the cores, at most 8, and 4 GiB of
 * free memory for each. On the CPU device 1: its kernels use all cores. */
static int default_jobs(const workspace *ws)
{
    const double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const long by_memory = (long)(free_bytes / 4e9), by_cores = sysconf(_SC_NPROCESSORS_ONLN) / 2;
    const long jobs = by_memory < by_cores ? by_memory : by_cores;
    return strcmp(ws->device, "cuda") != 0 || jobs < 1 ? 1 : jobs < 8 ? (int)jobs : 8;
}

/* Fewer groups than jobs would leave jobs idle, so groups are no larger than a job's share. */
static int most_in_group(int count, int jobs)
{
    const int share = (count + jobs - 1) / jobs;
    return share < MOST_IN_GROUP ? share : MOST_IN_GROUP;
}

static assay_status judge_all(const judge *j, const planned_case *plan, int count, int wanted,
                              assay_error *error)
{
    const int jobs = wanted < count ? wanted : count;
    const size_t bytes = sizeof(atomic_int) + (size_t)jobs * sizeof(job_place);
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    job_context context = {.j = *j,
                           .plan = plan,
                           .count = count,
                           .most = most_in_group(count, jobs),
                           .threads = parallel_for_threads() / jobs,
                           .next = shared,
                           .places = (job_place *)((atomic_int *)shared + 1)};
    atomic_init(context.next, 0);
    const parallel_work work = {.run = judge_share, .lost = note_loss, .context = &context};
    const assay_status status = parallel_run(jobs, &work, j->summary, error);
    munmap(shared, bytes);
    return status;
}

assay_status verify_run(workspace *ws, const case_filter *filter, const verify_options *options,
                        verify_summary *summary, assay_error *error)
{
    judge j = {.ws = ws, .options = options, .summary = summary};
    planned_case *plan = NULL;
    int count = 0;
    /* Huge cases share a card's memory badly. */
    const int has_huge = filter && list_has(filter->sizes, "huge");
    const int jobs = options->jobs > 0 ? options->jobs : has_huge ? 1 : default_jobs(ws);
    char folder[4400];
    *summary = (verify_summary){.cases = json_array()};
    workspace_commit(ws, j.commit, &j.dirty);
    snprintf(folder, sizeof folder, "%s/%sverify", ws->results,
             options->module_count == 0 ? ""
             : options->checked         ? "checked/"
                                        : "outside/");
    assay_status status = verify_plan_make(ws, filter, options, &plan, &count, error);
    if (status == ASSAY_OK && !options->dry_run && count > 0)
        status = output_folder_prepare(folder,
                                       error); /* judging takes minutes, and its verdicts must go somewhere */
    if (options->dry_run)
        print_plan(plan, status == ASSAY_OK ? count : 0);
    else if (status == ASSAY_OK && count > 0)
        status = judge_all(&j, plan, count, jobs, error);
    summary_fail_partly_refused(summary, options->quiet);
    free(plan);
    return status;
}
