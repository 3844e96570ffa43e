/* Planning, sharing the cases among jobs; see verify.h. */
#include "verify/verify.h"
#include "core/list.h"
#include "verify/judge.h"
#include "core/output_folder.h"
#include "verify/parallel.h"
#include "verify/worker.h"
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

/* What the jobs share. */
typedef struct job_context {
    const judge *j;
    const planned_case *plan;
    int count, most;  /* cases for one worker */
    atomic_int *next; /* the first case that no job has taken */
} job_context;

/* Take the next cases of one op, dtype and size. Returns how many, 0 when all are taken. */
static int take_group(const job_context *c, int *first)
{
    *first = atomic_load(c->next);
    for (;;) {
        const int n = *first < c->count ? verify_plan_group(c->plan, c->count, *first, c->most) : 0;
        if (n == 0 || atomic_compare_exchange_weak(c->next, first, *first + n))
            return n;
    }
}

static assay_status judge_share(void *context, int job, verify_summary *summary, assay_error *error)
{
    const job_context *c = context;
    judge own = *c->j;
    assay_status status = ASSAY_OK;
    int first, n;
    (void)job;
    own.summary = summary;
    while (status == ASSAY_OK && !summary->interrupted && (n = take_group(c, &first)) > 0)
        status = verify_judge_group(&own, c->plan + first, n, error);
    return status;
}

int verify_default_jobs(const workspace *ws)
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
    return share < WORKER_MOST_CASES ? share : WORKER_MOST_CASES;
}

static assay_status judge_all(const judge *j, const planned_case *plan, int count, int wanted,
                              assay_error *error)
{
    const int jobs = wanted < count ? wanted : count;
    atomic_int *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    atomic_init(next, 0);
    job_context context = {
        .j = j, .plan = plan, .count = count, .most = most_in_group(count, jobs), .next = next};
    const assay_status status = jobs > 1 ? parallel_run(jobs, judge_share, &context, j->summary, error)
                                         : judge_share(&context, 0, j->summary, error);
    munmap(next, sizeof *next);
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
    const int jobs = options->jobs > 0 ? options->jobs : has_huge ? 1 : verify_default_jobs(ws);
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
    free(plan);
    return status;
}
