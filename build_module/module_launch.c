/* Finding launches and rewriting them; see module_launch.h. */
#include "build_module/module_launch.h"
#include "build_module/module_text.h"
#include "core/text_stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t none = (size_t)-1;

/* Offsets of the parts of  kernel <<< configuration >>> ( arguments ). */
typedef struct launch {
    size_t kernel, open, close, arguments, end; /* of the name, "<<<", ">>>", "(" and behind ")" */
    int parts;                                  /* of the configuration: 2 to 4 */
    size_t commas[4];
} launch;

/* Where the expression that names the kernel begins: an identifier with its scope and template arguments, or something in
 * brackets. `end` is exclusive. */
static size_t begin_of_name(const char *mask, size_t end)
{
    for (;;) {
        end = text_skip_space_back(mask, end);
        if (end > 0 && strchr(">)]", mask[end - 1]) != NULL) {
            const char closing = mask[end - 1];
            const size_t open = text_match_back(mask, end - 1);
            if (open == none)
                return none;
            end = text_skip_space_back(mask, open);
            if (closing == ')')
                return open;
        }
        const size_t word_end = end;
        while (end > 0 && text_is_word(mask[end - 1]))
            end--;
        if (end == word_end)
            return none;
        const size_t before = text_skip_space_back(mask, end);
        if (before < 2 || strncmp(mask + before - 2, "::", 2) != 0)
            return end;
        end = before - 2;
        const size_t scope = text_skip_space_back(mask, end);
        if (scope == 0 || !(text_is_word(mask[scope - 1]) || mask[scope - 1] == '>'))
            return end; /* ::kernel */
    }
}

/* ">>>" at bracket depth 0. */
static size_t find_close(const char *mask, size_t from)
{
    int depth = 0;
    for (size_t at = from; mask[at] != '\0' && mask[at] != ';'; at++) {
        if (depth == 0 && strncmp(mask + at, ">>>", 3) == 0)
            return at;
        depth += strchr("([{", mask[at]) != NULL;
        depth -= strchr(")]}", mask[at]) != NULL;
    }
    return none;
}

static int read_launch(const char *mask, size_t open, launch *l)
{
    *l = (launch){.open = open};
    l->kernel = begin_of_name(mask, open);
    l->close = find_close(mask, open + 3);
    if (l->kernel == none || l->close == none)
        return 0;
    l->parts = 1 + text_commas(mask, open + 3, l->close, l->commas, 3);
    l->arguments = text_skip_space(mask, l->close + 3);
    if (mask[l->arguments] != '(' || l->parts < 2 || l->parts > 4)
        return 0;
    l->end = text_match(mask, l->arguments);
    if (l->end == none)
        return 0;
    l->end++;
    return 1;
}

static void put(FILE *out, const char *text, size_t begin, size_t end)
{
    fwrite(text + begin, 1, end - begin, out);
}

/* Part `index` of the configuration. */
static void put_part(FILE *out, const char *text, const launch *l, int index)
{
    put(out, text, index == 0 ? l->open + 3 : l->commas[index - 1] + 1,
        index == l->parts - 1 ? l->close : l->commas[index]);
}

static void put_name_as_string(FILE *out, const char *text, const launch *l)
{
    const size_t end = text_skip_space_back(text, l->open);
    for (size_t i = l->kernel; i < end; i++)
        if (text[i] != '\n' && text[i] != '"' && text[i] != '\\')
            fputc(text[i], out);
}

/* Is one of the arguments a list in braces, whose type only the kernel's parameter says? */
static int has_braced_argument(const char *mask, const launch *l)
{
    size_t commas[64], begin = l->arguments + 1;
    int count = text_commas(mask, begin, l->end - 1, commas, 64);
    count = count > 64 ? 64 : count;
    for (int i = 0; i <= count; i++) {
        if (mask[text_skip_space(mask, begin)] == '{')
            return 1;
        begin = i < count ? commas[i] + 1 : begin;
    }
    return 0;
}

/* The arguments are evaluated once, as CUDA does; the lambda keeps overloads and template arguments that are to be deduced. */
static void put_cpu_launch(FILE *out, const char *text, const char *mask, const launch *l)
{
    fputs("::assay_solve::launch(\"", out);
    put_name_as_string(out, text, l);
    fputs("\", dim3(", out);
    put_part(out, text, l, 0);
    fputs("), dim3(", out);
    put_part(out, text, l, 1);
    fputs("), (size_t)(", out);
    if (l->parts > 2)
        put_part(out, text, l, 2);
    else
        fputc('0', out);
    fputs("), ::assay_solve::on(", out);
    if (l->parts > 3)
        put_part(out, text, l, 3);
    if (has_braced_argument(mask, l)) { /* by every thread, then */
        fputs("), [=] { ", out);
        put(out, text, l->kernel, l->open);
        put(out, text, l->arguments, l->end);
        fputs("; })", out);
        return;
    }
    fputs("), [=](auto... assay_arguments) { ", out);
    put(out, text, l->kernel, l->open);
    fputs("(assay_arguments...); }", out);
    if (text_skip_space(mask, l->arguments + 1) != l->end - 1)
        fputc(',', out);
    put(out, text, l->arguments + 1, l->end);
}

static void put_cuda_launch(FILE *out, const char *text, const launch *l)
{
    put(out, text, l->kernel, l->open + 3);
    put_part(out, text, l, 0);
    fputc(',', out);
    put_part(out, text, l, 1);
    fputc(',', out);
    if (l->parts > 2)
        put_part(out, text, l, 2);
    else
        fputs(" 0", out);
    fputs(", ::assay_solve::on(", out);
    if (l->parts > 3)
        put_part(out, text, l, 3);
    fputc(')', out);
    put(out, text, l->close, l->end);
}

/* Is the brace at `at` that of a namespace or of extern "C", so that what follows is still at namespace scope? */
static int opens_scope_of_names(const char *mask, size_t at)
{
    size_t end = text_skip_space_back(mask, at), begin = end;
    for (int words = 0; words < 2; words++) {
        while (begin > 0 && (text_is_word(mask[begin - 1]) || mask[begin - 1] == ':'))
            begin--;
        if (text_word_at(mask, begin, "namespace") || (words == 0 && text_word_at(mask, begin, "extern")))
            return begin < end;
        begin = end = text_skip_space_back(mask, begin);
    }
    return 0;
}

/* extern __shared__ [__align__(n)] TYPE NAME[]; starting at `at`: dynamic shared memory. Returns the offset behind it, or `at` if
 * it is something else. At namespace scope it has to be a macro: the address is that of the running block. */
static size_t put_dynamic_shared(FILE *out, const char *text, const char *mask, size_t at,
                                 int at_namespace_scope, int *line)
{
    const size_t end = at + strcspn(mask + at, ";{}"), shared = text_find_word(mask, at, "__shared__");
    size_t bracket = text_skip_space_back(mask, end);
    if (mask[end] != ';' || shared == none || shared > end || bracket == 0 || mask[bracket - 1] != ']')
        return at;
    bracket = text_match_back(mask, bracket - 1);
    if (bracket == none || bracket < shared)
        return at;
    const size_t name_end = text_skip_space_back(mask, bracket);
    size_t name = name_end;
    while (name > at && text_is_word(mask[name - 1]))
        name--;
    fputs(at_namespace_scope ? "\n#define " : "ASSAY_DYNAMIC_SHARED(", out);
    if (at_namespace_scope) {
        put(out, text, name, name_end);
        fputs(" (reinterpret_cast<", out);
    }
    for (size_t i = at; i < name; i++) { /* the type: all words but the storage class and the alignment */
        static const char *const dropped[] = {"extern", "__shared__", "__align__", "alignas"};
        for (size_t d = 0; d < sizeof dropped / sizeof dropped[0]; d++) {
            if (!text_word_at(mask, i, dropped[d]))
                continue;
            i += strlen(dropped[d]);
            const size_t open = text_skip_space(mask, i);
            if (d >= 2 && mask[open] == '(' && text_match(mask, open) < name)
                i = text_match(mask, open) + 1;
        }
        if (i < name)
            fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
    for (size_t i = at; i < end; i++)
        *line += text[i] == '\n';
    if (at_namespace_scope) {
        fprintf(out, " *>(assay_simt_current.dynamic_shared))\n#line %d\n", *line);
        return end + 1;
    }
    fputs(", ", out);
    put(out, text, name, name_end);
    fputc(')', out);
    for (size_t i = at; i < end; i++)
        if (text[i] == '\n')
            fputc('\n', out);
    return end;
}

/* __shared__ alignas(n) TYPE: nvcc takes it, but no alignas may follow the storage class that __shared__ is here. They change places. Returns
 * the offset behind, or `at` if it is something else. */
static size_t put_aligned_shared(FILE *out, const char *text, const char *mask, size_t at)
{
    const size_t word = text_skip_space(mask, at + strlen("__shared__"));
    if (!text_word_at(mask, word, "alignas"))
        return at;
    const size_t open = text_skip_space(mask, word + strlen("alignas"));
    const size_t close = mask[open] == '(' ? text_match(mask, open) : none;
    if (close == none)
        return at;
    put(out, text, word, close + 1);
    put(out, text, at + strlen("__shared__"), word);
    fputs("__shared__", out);
    return close + 1;
}

/* cudaLaunchKernel((const void *)KERNEL, ...): the pointer alone would not tell the types of the kernel's parameters, so the cast is left out.
 * Returns the offset behind the cast, or `at` if there is none. */
static size_t skip_kernel_cast(const char *mask, size_t at)
{
    const size_t open = text_skip_space(mask, at + strlen("cudaLaunchKernel"));
    const size_t cast = mask[open] == '(' ? text_skip_space(mask, open + 1) : open;
    const size_t close = mask[cast] == '(' && cast > open ? text_match(mask, cast) : none;
    if (close == none || text_find_word(mask, cast, "void") > close ||
        memchr(mask + cast, '*', close - cast) == NULL)
        return at;
    return close + 1;
}

char *launch_translate(const char *text, const char *mask, launch_target target)
{
    char *translated = NULL;
    size_t bytes = 0, done = 0;
    int depth = 0, line = 1;
    FILE *out = text_stream_open(&translated, &bytes);
    if (out == NULL)
        return NULL;
    for (size_t at = 0; mask[at] != '\0'; at++) {
        launch l;
        if (target != LAUNCH_AS_IS && strncmp(mask + at, "<<<", 3) == 0 && read_launch(mask, at, &l) &&
            l.kernel >= done) {
            put(out, text, done, l.kernel);
            if (target == LAUNCH_ON_CPU)
                put_cpu_launch(out, text, mask, &l);
            else
                put_cuda_launch(out, text, &l);
            for (; at < l.end - 1; at++)
                line += text[at] == '\n';
            done = l.end;
        } else if (target == LAUNCH_ON_CPU && text_word_at(mask, at, "extern")) {
            put(out, text, done, at);
            done = put_dynamic_shared(out, text, mask, at, depth == 0, &line);
            at = done > at ? done - 1 : at;
        } else if (target == LAUNCH_ON_CPU && text_word_at(mask, at, "cudaLaunchKernel") &&
                   skip_kernel_cast(mask, at) > at) {
            put(out, text, done, at);
            fputs("cudaLaunchKernel(", out);
            for (done = skip_kernel_cast(mask, at); at + 1 < done; at++) {
                line += text[at] == '\n';
                if (text[at] == '\n')
                    fputc('\n', out);
            }
        } else if (target == LAUNCH_ON_CPU && text_word_at(mask, at, "__shared__")) {
            put(out, text, done, at);
            done = put_aligned_shared(out, text, mask, at);
            for (; at + 1 < done; at++)
                line += text[at] == '\n';
        } else {
            depth += mask[at] == '{' && !opens_scope_of_names(mask, at);
            depth -= mask[at] == '}' && depth > 0;
            line += text[at] == '\n';
        }
    }
    put(out, text, done, strlen(text));
    return text_stream_close(out, &translated) ? translated : NULL;
}
