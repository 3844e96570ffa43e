/* See device_view.h.
 *
 * nvcc preprocesses a file twice, with __CUDA_ARCH__ for the device's code and without it for the host's. Here there is one pass, with it.
 * That is right as long as __CUDA_ARCH__ changes device code alone. So where a kernel's files name it, the file is preprocessed both ways,
 * with __device__ and its like left as words, functions and variables marked so are cut out, and the rest must be the same. */
#include "build_module/device_view.h"
#include "build_module/module_run.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VIEW_LIMIT_S = 120, REASON_BYTES = 700 };

static void refuse(process_result *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(process_result *run, const char *format, ...)
{
    char reason[REASON_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    const char *said = run->output ? run->output : "";
    const size_t bytes = strlen(reason) + strlen(said) + 2;
    char *output = malloc(bytes);
    if (output != NULL) {
        snprintf(output, bytes, "%s\n%s", reason, said);
        free(run->output);
        run->output = output;
    }
    run->code = run->code ? run->code : 1;
}

static int line_of(const char *text, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* ---- the kernel's own files ---- */

/* Does the file belong to the harness? Its folders are those that the toolchain includes. */
static int is_harness(const compile_job *job, const char *path)
{
    char real[PATH_MAX], name[PATH_MAX];
    size_t index;
    json_t *folder;
    if (realpath(path, real) == NULL)
        return 1; /* nothing to be read */
    json_array_foreach(json_object_get(job->toolchain, "include"), index, folder)
    {
        const size_t length = realpath(json_string_value(folder), name) ? strlen(name) : 0;
        if (length > 0 && strncmp(real, name, length) == 0 && real[length] == '/')
            return 1;
    }
    return 0;
}

/* By what the paths lead to: a compiler's cache may write its own. */
static int is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* The first identifier that begins with `prefix`; (size_t)-1 if there is none. */
static size_t find_prefix(const char *mask, const char *prefix)
{
    for (const char *at = mask; (at = strstr(at, prefix)) != NULL; at++)
        if (at == mask || !text_is_word(at[-1]))
            return (size_t)(at - mask);
    return (size_t)-1;
}

/* What no kernel file may say: the device's own names lead out of what a kernel may do and mean nothing on a GPU, some attributes switch the
 * checks off, and assembler text is a GPU's. */
static const struct {
    const char *prefix, *why;
} forbidden[] = {{"assay_simt", "is the CPU device's own; a kernel uses CUDA's names"},
                 {"ASSAY_SIMT", "is the CPU device's own; a kernel uses CUDA's names"},
                 {"no_sanitize", "switches off that accesses are watched"},
                 {"__no_sanitize", "switches off that accesses are watched"},
                 {"disable_sanitizer_instrumentation", "switches off that accesses are watched"},
                 {"__asm", "names assembler text: the CPU device has no inline PTX"}};

static int says_forbidden(const char *path, const char *text, const char *mask, process_result *run)
{
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        const size_t at = find_prefix(mask, forbidden[i].prefix);
        if (at == (size_t)-1)
            continue;
        size_t end = at;
        while (text_is_word(mask[end]))
            end++;
        refuse(run, "%s:%d: error: %.*s %s", path, line_of(text, at), (int)(end - at), text + at,
               forbidden[i].why);
        return 1;
    }
    return 0;
}

/* Look at one file. Returns 1 if it is refused; *uses_arch is set if it names __CUDA_ARCH__. */
static int look_at(const char *path, int *uses_arch, process_result *run)
{
    char *text = NULL;
    if (text_file_read(path, &text, NULL, NULL) != ASSAY_OK)
        return 0;
    char *mask = text_mask(text);
    const int refused = mask != NULL && says_forbidden(path, text, mask, run);
    *uses_arch |= mask != NULL && text_find_word(mask, 0, "__CUDA_ARCH__") != (size_t)-1;
    free(mask);
    free(text);
    return refused;
}

static int look_at_all(const compile_job *job, const char *dependencies, int *uses_arch, process_result *run)
{
    char path[PATH_MAX];
    if (look_at(job->request->source, uses_arch, run))
        return 1;
    const char *at = dependencies ? strchr(dependencies, ':') : NULL;
    for (at = at ? at + 1 : NULL;
         at != NULL && (at = compile_next_dependency(at, path, sizeof path)) != NULL;)
        if (!is_harness(job, path) && !is_same_file(path, job->contest->generated) &&
            look_at(path, uses_arch, run))
            return 1;
    return 0;
}

/* ---- two views of one file ---- */

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
        refuse(
            run,
            "%.*s: error: __CUDA_ARCH__ changes code of the host here; the CPU device compiles both sides at "
            "once and cannot tell them apart (use it within __device__ and __global__ functions)",
            (int)strcspn(where, "\t"), where);
    free(device);
    free(host);
    free(of_device);
    free(of_host);
}

/* ---- hints ---- */

/* A header of the toolkit that was not found, by its first words. */
static const struct {
    const char *header, *what;
} absent[] = {{"cub/", "cub"},
              {"thrust/", "thrust"},
              {"cuda/std/", "libcu++ (cuda::std)"},
              {"cuda/", "libcu++ (cuda::)"},
              {"nv/", "libcu++ (cuda::)"},
              {"mma.h", "wmma (nvcuda::wmma)"},
              {"cute/", "CuTe"},
              {"cutlass/", "CUTLASS"},
              {"cublas", "cuBLAS"},
              {"cudnn", "cuDNN"},
              {"cufft", "cuFFT"},
              {"curand", "cuRAND"},
              {"cusparse", "cuSPARSE"},
              {"cusolver", "cuSOLVER"},
              {"nccl", "NCCL"},
              {"nvrtc", "NVRTC"},
              {"nvtx3/", "NVTX"},
              {"nvToolsExt", "NVTX"},
              {"cuda_fp8", "fp8 types"},
              {"cuda_fp6", "fp6 types"},
              {"cuda_fp4", "fp4 types"},
              {"cuda_pipeline", "pipelines (__pipeline_memcpy_async)"},
              {"cuda_awbarrier", "asynchronous barriers (cuda_awbarrier.h)"},
              {"cudaTypedefs", "the driver's interface"},
              {"cooperative_groups/", "such part of cooperative groups"},
              {"torch/", "PyTorch"},
              {"ATen/", "PyTorch"}};

/* What begins like one of them and is there. */
static const char there[] = "cooperative_groups/reduce.h";

/* An #include of such a header in the kernel's text. Where a toolkit lies on the compiler's path its own header was found, which says
 * something else. */
static void hint_at_header(const char *path, const char *text, const char *mask, process_result *run)
{
    for (size_t at = 0; (at = text_find_word(mask, at, "include")) != (size_t)-1; at += strlen("include")) {
        const size_t hash = text_skip_space_back(mask, at),
                     name = text_skip_space(text, at + strlen("include")) + 1;
        if (hash == 0 || mask[hash - 1] != '#' || strchr("<\"", text[name - 1]) == NULL)
            continue;
        if (strncmp(text + name, there, strlen(there)) == 0)
            continue;
        for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
            if (strncmp(text + name, absent[i].header, strlen(absent[i].header)) == 0) {
                refuse(run, "%s:%d: error: the CPU device has no %s: %.*s", path, line_of(text, at),
                       absent[i].what, (int)strcspn(text + name, ">\"\n"), text + name);
                return;
            }
    }
}

static void hint(const compile_job *job, process_result *run)
{
    char *text = NULL;
    if (text_file_read(job->request->source, &text, NULL, NULL) != ASSAY_OK)
        return;
    char *mask = text_mask(text);
    if (mask != NULL)
        hint_at_header(job->request->source, text, mask, run);
    free(mask);
    free(text);
}

void device_view_judge(const compile_job *job, const char *dependencies, process_result *run)
{
    int uses_arch = 0;
    if (strcmp(json_get_text(job->toolchain, "kind", ""), "cxx") != 0 || run->end != PROCESS_EXITED ||
        job->contest->refusal != NULL)
        return;
    if (look_at_all(job, dependencies, &uses_arch, run))
        return;
    if (run->code != 0)
        hint(job, run);
    else if (uses_arch)
        compare_views(job, run);
}
