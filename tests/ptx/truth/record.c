/* Records the results of every case on a GPU, or on the PTX device by its stand-in for the driver.
 *
 *     cc -std=gnu11 -O1 -o record tests/ptx/truth/{record,cases,maps,operands,text,file,driver}.c -lm -ldl
 *     ./record values                            # the GPU of this machine
 *     ./record values --library PATH             # another libcuda.so.1
 *     ./record --text [FIRST COUNT]              # print the PTX of cases instead
 *     ./record --list                            # print their names */
#include "truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fputs("usage: record FILE [--library LIBCUDA] | --text [FIRST COUNT] | --list\n", stderr);
    return 2;
}

static int print_text(const truth_case *cases, size_t count, int argc, char **argv)
{
    const size_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t most = first < count ? count - first : 0;
    size_t n = argc > 3 ? strtoul(argv[3], NULL, 10) : most;
    char *text = truth_text(cases + (most ? first : 0), n < most ? n : most);
    fputs(text, stdout);
    free(text);
    return 0;
}

static int record(const truth_case *cases, size_t count, const char *path, const char *library)
{
    truth_file file = {0};
    int status =
        truth_run_driver(library, cases, count, &file) == 0 && truth_file_write(path, &file, cases) == 0 ? 0
                                                                                                         : 3;
    if (status == 0) {
        size_t refused = 0;
        for (size_t i = 0; i < count; i++)
            refused += file.records[i].refused != 0;
        printf("%zu cases of %s in %s, %zu refused\n", count, file.source, path, refused);
    }
    truth_file_free(&file);
    return status;
}

int main(int argc, char **argv)
{
    size_t count;
    int status = 0;
    if (argc < 2 || (argc == 3 && strcmp(argv[1], "--text") != 0))
        return usage();
    truth_case *cases = truth_cases(&count);
    if (strcmp(argv[1], "--list") == 0)
        for (size_t i = 0; i < count; i++)
            printf("%zu %s\n", i, cases[i].name);
    else if (strcmp(argv[1], "--text") == 0)
        status = print_text(cases, count, argc, argv);
    else if (argc == 2 || (argc == 4 && strcmp(argv[2], "--library") == 0))
        status = record(cases, count, argv[1], argc == 4 ? argv[3] : "libcuda.so.1");
    else
        status = usage();
    free(cases);
    return status;
}
