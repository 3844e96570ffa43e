/* Scripts to pictures: renders templates, runs gnuplot for several at a time, replaces pictures only when it
 * succeeded. */
#include "report/plots/plot.h"
#include "core/json_file.h"
#include "core/process.h"
#include "report/template.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_THREADS = 16 };

const char *plot_color(int index)
{
    /* Okabe and Ito's palette, told apart with colour-blind eyes too, then darker relatives for long lists. */
    static const char *const colors[] = {"#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7",
                                         "#8C6D1F", "#7A5195", "#4D4D4D", "#A3123F", "#5B8C00", "#1B4F9C"};
    return colors[(unsigned)index % (sizeof colors / sizeof *colors)];
}

const char *plot_baseline_color(int index)
{
    static const char *const colors[] = {"#000000", "#7B2CBF", "#0A58CA", "#B02A37", "#146C43", "#6C4A00"};
    return colors[(unsigned)index % (sizeof colors / sizeof *colors)];
}

const char *plot_size_color(int index, int count)
{
    static const char *const colors[] = {"#BFD7EA", "#7FB0D5", "#3F7FB5", "#0B3C6F", "#062038"};
    const int all = (int)(sizeof colors / sizeof *colors);
    return colors[count <= all ? index : index * all / count];
}

void plot_quote(char *out, size_t bytes, const char *text)
{
    size_t n = 0;
    for (; *text && n + 3 < bytes; text++) {
        if (*text == '\'')
            out[n++] = '\'';
        out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    out[n] = '\0';
}

/* Does the picture end as its format demands? gnuplot succeeds although the disk was full. */
static int is_complete(const char *path, const char *ending)
{
    char tail[64] = "";
    const size_t length = strlen(ending);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    size_t bytes = fseek(file, -(long)(sizeof tail), SEEK_END) == 0 ? fread(tail, 1, sizeof tail, file) : 0;
    fclose(file);
    for (; bytes >= length; bytes--)
        if (memcmp(tail + bytes - length, ending, length) == 0)
            return 1;
    return 0;
}

static void first_line(const char *text, char *out, size_t bytes)
{
    while (*text == '\n' || *text == ' ' || *text == '\t')
        text++;
    snprintf(out, bytes, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Run gnuplot with the pictures' temporary names set by -e; rename them if both are there. */
static plot_outcome run_gnuplot(const char *gnuplot, const char *base, char *reason, size_t reason_bytes)
{
    char script[4400], svg[4400], png[4400], svg_new[4500], png_new[4500], quoted[2][4600], set[9400],
        detail[300], ended[128];
    snprintf(script, sizeof script, "%s.gp", base);
    snprintf(svg, sizeof svg, "%s.svg", base);
    snprintf(png, sizeof png, "%s.png", base);
    snprintf(svg_new, sizeof svg_new, "%s.tmp.%ld", svg, (long)getpid());
    snprintf(png_new, sizeof png_new, "%s.tmp.%ld", png, (long)getpid());
    plot_quote(quoted[0], sizeof quoted[0], svg_new);
    plot_quote(quoted[1], sizeof quoted[1], png_new);
    snprintf(set, sizeof set, "svg='%s'; png='%s'", quoted[0], quoted[1]);
    const char *const arguments[] = {gnuplot, "-e", set, script, NULL};
    process_result run;
    process_run(arguments, 120, 1, &run);
    const int drawn = run.end == PROCESS_EXITED && run.code == 0 && is_complete(svg_new, "</svg>") &&
                      is_complete(png_new, "IEND");
    plot_outcome outcome = PLOT_DRAWN;
    if (drawn && rename(svg_new, svg) == 0 && rename(png_new, png) == 0) {
        process_result_release(&run);
        return outcome;
    }
    unlink(svg_new);
    unlink(png_new);
    if (run.end == PROCESS_NOT_STARTED || (run.end == PROCESS_EXITED && run.code == 127)) {
        snprintf(reason, reason_bytes,
                 "no plots were drawn: '%s' is not there; install it (Debian, Ubuntu: gnuplot-nox) and run "
                 "'assay report' again, or run gnuplot on the .gp files elsewhere",
                 gnuplot);
        outcome = PLOT_NO_GNUPLOT;
    } else {
        process_describe(&run, ended, sizeof ended);
        first_line(run.output ? run.output : "", detail, sizeof detail);
        const int cut = !drawn && run.end == PROCESS_EXITED && run.code == 0;
        snprintf(reason, reason_bytes, "%s: %s %s%s%s", script, gnuplot,
                 drawn ? strerror(errno)
                 : cut ? "left pictures that are not complete: is the disk full?"
                       : ended,
                 *detail ? ": " : "", detail);
        outcome = PLOT_FAILED;
    }
    process_result_release(&run);
    return outcome;
}

static void script_path(const workspace *ws, const char *name, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s/%s.gp", ws->plots, name);
}

static int holds(const char *path, const text_buffer *text)
{
    char *old = NULL;
    size_t bytes = 0;
    if (access(path, F_OK) != 0 || text_file_read(path, &old, &bytes, NULL) != ASSAY_OK)
        return 0;
    const int same = bytes == text->length && memcmp(old, text_get(text), bytes) == 0;
    free(old);
    return same;
}

static assay_status append(plot_list *list, const char *name, assay_error *error)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 32;
        plot_job *grown = realloc(list->jobs, (size_t)capacity * sizeof *grown);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d plots", capacity);
        list->jobs = grown;
        list->capacity = capacity;
    }
    plot_job *job = &list->jobs[list->count++];
    *job = (plot_job){.outcome = PLOT_FAILED};
    snprintf(job->name, sizeof job->name, "%s", name);
    return ASSAY_OK;
}

assay_status plot_add(const workspace *ws, const char *template_name, const char *name, const json_t *context,
                      plot_list *list, assay_error *error)
{
    char script[4400];
    text_buffer text = {0};
    script_path(ws, name, script, sizeof script);
    assay_status status = template_render_file(ws->templates, template_name, context, &text, error);
    if (status == ASSAY_OK && !holds(script, &text))
        status = text_file_write(script, text_get(&text), text.length, error);
    text_release(&text);
    return status == ASSAY_OK ? append(list, name, error) : status;
}

static int is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Pictures drawn from the script as it is. The script's own time tells, as it is not written again when it
 * stays the same. */
static int is_up_to_date(const char *base)
{
    static const char *const ends[] = {"svg", "png"}, *const marks[] = {"</svg>", "IEND"};
    char path[4500];
    struct stat script, picture;
    snprintf(path, sizeof path, "%s.gp", base);
    if (stat(path, &script) != 0)
        return 0;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s.%s", base, ends[i]);
        if (stat(path, &picture) != 0 || !is_newer(&picture.st_mtim, &script.st_mtim) ||
            !is_complete(path, marks[i]))
            return 0;
    }
    return 1;
}

typedef struct plot_pool {
    const workspace *ws;
    const char *gnuplot;
    plot_list *list;
    atomic_int next;
} plot_pool;

static void *work(void *context)
{
    plot_pool *pool = context;
    for (int i; (i = atomic_fetch_add(&pool->next, 1)) < pool->list->count;) {
        char base[4352];
        plot_job *job = &pool->list->jobs[i];
        snprintf(base, sizeof base, "%s/%s", pool->ws->plots, job->name);
        job->outcome = is_up_to_date(base)
                           ? PLOT_DRAWN
                           : run_gnuplot(pool->gnuplot, base, job->reason, sizeof job->reason);
    }
    return NULL;
}

void plot_draw_all(const workspace *ws, const char *gnuplot, plot_list *list)
{
    plot_pool pool = {.ws = ws, .gnuplot = gnuplot, .list = list};
    pthread_t threads[MOST_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    while (started + 1 < processors && started < MOST_THREADS && started + 1 < list->count &&
           pthread_create(&threads[started], NULL, work, &pool) == 0)
        started++;
    work(&pool); /* also where no thread could be started */
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

const plot_job *plot_find(const plot_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->jobs[i].name, name) == 0)
            return &list->jobs[i];
    return NULL;
}

void plot_list_release(plot_list *list)
{
    free(list->jobs);
    *list = (plot_list){0};
}
