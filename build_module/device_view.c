/* See device_view.h.
 *
 * nvcc preprocesses a file twice, with __CUDA_ARCH__ for the device's code and without it for the host's. Here there is one pass, with it.
 * That is right as long as __CUDA_ARCH__ changes device code alone. So where a kernel's files name it, the file is preprocessed both ways,
 * with __device__ and its like left as words, functions and variables marked so are cut out, and the rest must be the same. */
#include "build_module/device_view.h"
#include "build_module/kernel_words.h"
#include "build_module/module_run.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VIEW_LIMIT_S = 120 };

/* The text of the file as the preprocessor leaves it, or NULL. */
static char *preprocess(const compile_job *job, int of_host)
{
    compile_job view = *job;
    compile_command *c = calloc(1, sizeof *c);
    process_result run = {.end = PROCESS_NOT_STARTED};
    char *text = NULL;
    if (c == NULL)
        return NULL;
    snprintf(view.temporary, sizeof view.temporary, "%.*s.view", (int)sizeof view.temporary - 6,
             job->temporary);
    snprintf(view.depfile, sizeof view.depfile, "%.*s.viewd", (int)sizeof view.depfile - 7, job->temporary);
    compile_build_command(&view, c);
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->words[i], "-shared") == 0)
            c->words[i] = "-E";
    c->words[c->count++] = "-DASSAY_MARK_DEVICE_CODE";
    if (of_host)
        c->words[c->count++] = "-DASSAY_HOST_VIEW";
    c->words[c->count] = NULL;
    compile_run(&view, c, VIEW_LIMIT_S, &run);
    if (run.end == PROCESS_EXITED && run.code == 0)
        text_file_read(view.temporary, &text, NULL, NULL);
    unlink(view.temporary);
    unlink(view.depfile);
    process_result_release(&run);
    free(c);
    return text;
}

/* Where a view is read. The mask has no comments, but the preprocessor's line markers. */
typedef struct reader {
    const char *text;
    char *mask;
    size_t at;
    int line;
    char file[512];
} reader;

/* Skip blanks and line markers ("# 12 "FILE""), which say where the text is from. */
static void skip_blanks(reader *r)
{
    for (;;) {
        while (isspace((unsigned char)r->mask[r->at])) {
            r->line += r->mask[r->at] == '\n';
            r->at++;
        }
        if (r->mask[r->at] != '#')
            return;
        int line = 0;
        char file[512] = "";
        if (sscanf(r->text + r->at, "# %d \"%511[^\"]\"", &line, file) == 2) {
            r->line = line - 1; /* the end of this line counts */
            snprintf(r->file, sizeof r->file, "%s", file);
        }
        r->at += strcspn(r->mask + r->at, "\n");
    }
}

/* One token from the text: a word, or a character; of a string the quotes and what is between. */
static size_t token_end(const reader *r)
{
    size_t end = r->at;
    if (text_is_word(r->mask[end]))
        while (text_is_word(r->mask[end]))
            end++;
    else if (r->text[end] == '"' || r->text[end] == '\'') {
        const char quote = r->text[end++];
        while (r->text[end] != '\0' && r->text[end] != quote)
            end += r->text[end] == '\\' && r->text[end + 1] != '\0' ? 2 : 1;
        end += r->text[end] == quote;
    } else
        end++;
    return end;
}

static int opens_scope(const char *head)
{
    const size_t length = strlen(head);
    if (length > 0 && head[length - 1] == ')')
        return 0;
    static const char *const words[] = {"namespace", "class", "struct", "union", "extern"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_find_word(head, 0, words[i]) != (size_t)-1 && strchr(head, '=') == NULL)
            return 1;
    return 0;
}

static int is_device(const char *head)
{
    static const char *const marks[] = {"__device__", "__global__", "__constant__", "__shared__",
                                        "__managed__"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (text_find_word(head, 0, marks[i]) != (size_t)-1)
            return 1;
    return 0;
}

/* One declaration: up to its ';', or the end of its function's body. The heads of scopes are declarations of their own, and a scope's '}'
 * too. Returns 0 at the end. */
static int read_declaration(reader *r, FILE *out)
{
    char *head = NULL;
    FILE *collected = text_stream_open(&head, NULL);
    int depth = 0, round = 0, any = 0, line = 0, tokens = 0;
    char file[512] = "";
    if (collected == NULL)
        return 0;
    for (;;) {
        skip_blanks(r);
        if (r->mask[r->at] == '\0')
            break;
        if (!any) {
            line = r->line;
            snprintf(file, sizeof file, "%s", r->file);
        }
        any = 1;
        const size_t end = token_end(r);
        const char c = r->mask[r->at];
        if (c == '{' && depth == 0 && round == 0) {
            fflush(collected);
            if (opens_scope(head ? head : "") && !is_device(head))
                depth = -1;
        }
        for (size_t i = r->at; i < end; i++)
            r->line += r->text[i] == '\n';
        fprintf(collected, "%s%.*s", tokens++ > 0 ? " " : "", (int)(end - r->at), r->text + r->at);
        r->at = end;
        round += (c == '(') - (c == ')');
        if (depth < 0 || (c == '}' && depth == 0))
            break;
        depth += (c == '{') - (c == '}');
        if (depth == 0 && round <= 0 && (c == ';' || c == '}')) {
            skip_blanks(r);
            if (c == '}' && r->mask[r->at] == ';')
                continue;
            if (c == '}' && strchr(",)=", r->mask[r->at]) && r->mask[r->at] != '\0')
                continue; /* an initialiser goes on */
            break;
        }
    }
    if (!text_stream_close(collected, &head))
        return 0;
    if (any && !is_device(head))
        fprintf(out, "%s:%d\t%s\n", file, line, head);
    free(head);
    return any;
}

/* What is no device code: a line for each declaration, PLACE, a tab, its tokens. */
static char *host_code_of(const char *view)
{
    char *text = NULL;
    size_t bytes = 0;
    reader r = {.text = view, .mask = text_mask(view), .line = 1};
    FILE *out = r.mask ? text_stream_open(&text, &bytes) : NULL;
    while (out != NULL && read_declaration(&r, out))
        ;
    free(r.mask);
    return text_stream_close(out, &text) ? text : NULL;
}

/* The first declaration in which the two differ; NULL if there is none. */
static const char *first_difference(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        const size_t length_a = strcspn(a, "\n"), length_b = strcspn(b, "\n");
        const char *said_a = memchr(a, '\t', length_a), *said_b = memchr(b, '\t', length_b);
        const size_t rest_a = said_a ? length_a - (size_t)(said_a - a) : 0,
                     rest_b = said_b ? length_b - (size_t)(said_b - b) : 0;
        if (rest_a != rest_b || (rest_a > 0 && memcmp(said_a, said_b, rest_a) != 0))
            return *b != '\0' ? b : a;
        a += length_a + (a[length_a] == '\n');
        b += length_b + (b[length_b] == '\n');
    }
    return NULL;
}

static void compare_views(const compile_job *job, process_result *run)
{
    char *device = preprocess(job, 0), *host = preprocess(job, 1);
    char *of_device = device ? host_code_of(device) : NULL, *of_host = host ? host_code_of(host) : NULL;
    const char *where = of_device && of_host ? first_difference(of_device, of_host) : NULL;
    if (where != NULL)
        refuse_kernel(
            run,
            "%.*s: error: __CUDA_ARCH__ changes code of the host here; the CPU device compiles both sides at "
            "once and cannot tell them apart (use it within __device__ and __global__ functions)",
            (int)strcspn(where, "\t"), where);
    free(device);
    free(host);
    free(of_device);
    free(of_host);
}

void device_view_judge(const compile_job *job, const char *dependencies, process_result *run)
{
    int uses_arch = 0;
    if (strcmp(json_get_text(job->toolchain, "kind", ""), "cxx") != 0 || run->end != PROCESS_EXITED ||
        job->contest->refusal != NULL)
        return;
    if (kernel_words_judge(job, dependencies, &uses_arch, run))
        return;
    if (run->code != 0)
        kernel_words_hint(job, run);
    else if (uses_arch)
        compare_views(job, run);
}
