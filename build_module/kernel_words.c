/* See kernel_words.h. */
#include "build_module/kernel_words.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REASON_BYTES = 700 };

void refuse_kernel(process_result *run, const char *format, ...)
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
        refuse_kernel(run, "%s:%d: error: %.*s %s", path, line_of(text, at), (int)(end - at), text + at,
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

int kernel_words_judge(const compile_job *job, const char *dependencies, int *uses_arch, process_result *run)
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
                refuse_kernel(run, "%s:%d: error: the CPU device has no %s: %.*s", path, line_of(text, at),
                              absent[i].what, (int)strcspn(text + name, ">\"\n"), text + name);
                return;
            }
    }
}

void kernel_words_hint(const compile_job *job, process_result *run)
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
