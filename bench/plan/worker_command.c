/* The worker's command line: see plan.h. */
#include "bench/plan/plan.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add(worker_command *c, const char *option, const char *value)
{
    c->argv[c->count++] = option;
    if (value)
        c->argv[c->count++] = value;
    c->argv[c->count] = NULL;
}

static void join(char *list, size_t list_bytes, const char *name)
{
    snprintf(list + strlen(list), list_bytes - strlen(list), "%s%s", list[0] ? "," : "", name);
}

static void add_method(worker_command *c, const bench_method *m)
{
    snprintf(c->repetitions, sizeof c->repetitions, "%d", m->repetitions);
    snprintf(c->warmup, sizeof c->warmup, "%.10g", m->warmup_ms);
    snprintf(c->sample, sizeof c->sample, "%.10g", m->sample_ms);
    snprintf(c->least, sizeof c->least, "%d", m->min_samples);
    snprintf(c->most, sizeof c->most, "%d", m->max_samples);
    snprintf(c->bound, sizeof c->bound, "%.10g", m->bound_s);
    snprintf(c->seed, sizeof c->seed, "%llu", (unsigned long long)m->seed);
    if (m->locked_mhz > 0) {
        snprintf(c->locked, sizeof c->locked, "%d", m->locked_mhz);
        add(c, "--locked-mhz", c->locked);
    }
    add(c, "--repetitions", c->repetitions);
    add(c, "--warmup-ms", c->warmup);
    add(c, "--sample-ms", c->sample);
    add(c, "--min-samples", c->least);
    add(c, "--max-samples", c->most);
    add(c, "--bound-s", c->bound);
    add(c, "--seed", c->seed);
    add(c, "--flush", m->flush);
    add(c, "--figures", m->figures);
}

void worker_command_make(const plan *p, const planned_group *g, const char *only, const char *socket,
                         const char *no_socket, worker_command *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < g->variant_count; i++)
        if (g->variants[i].verified && !g->variants[i].kept &&
            (!only || strcmp(only, g->variants[i].name) == 0))
            join(c->variants, sizeof c->variants, g->variants[i].name);
    for (int i = 0; i < g->peer_count; i++)
        if (!g->peers[i].kept &&
            (!only || (strncmp(only, "peer_", 5) == 0 && strcmp(only + 5, g->peers[i].name) == 0)))
            join(c->peers, sizeof c->peers, g->peers[i].name);
    snprintf(c->program, sizeof c->program, "%s/assay-bench-group", p->ws->libexec);
    snprintf(c->device, sizeof c->device, "%d", p->options->device_ordinal);
    add(c, c->program, NULL);
    add(c, "--workspace", p->ws->path);
    add(c, "--op", g->op->spec->name);
    add(c, "--dtype", assay_dtype_name(g->dtype));
    add(c, "--size", g->size);
    add(c, "--variants", c->variants);
    add(c, "--peers", c->peers);
    add_method(c, &g->method);
    add(c, "--device", c->device);
    if (socket)
        add(c, "--torch-socket", socket);
    else if (no_socket[0])
        add(c, "--torch-missing", no_socket);
    if (p->options->dry_run)
        return;
    snprintf(c->parent, sizeof c->parent, "%ld", (long)getpid());
    add(c, "--parent", c->parent);
}
