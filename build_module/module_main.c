/* assay-module: compile one kernel file into a module. Called by the build for every variant and dtype; exits 0 also when the
 * kernel does not compile, so that one broken kernel costs its own cases and no others. */
#include "resources/code_hash.h"
#include "resources/resources.h"
#include "core/utf8.h"
#include "build_module/compile.h"
#include "core/memory.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: assay-module --workspace DIR --op OP --source FILE.cu --dtype f32|f16|bf16 --out RECORD.json\n"
    "                    [--variant NAME] [--depfile FILE.d] [--define NAME=VALUE]...\n"
    "       assay-module --hash-listed FILE.d --out FILE.sha256\n"
    "Compiles a kernel file into RECORD.so and describes it in RECORD.json (docs/formats.md).\n"
    "The second form writes a hash of the files that a dependency file lists.\n"
    "Exit status: 0 done (also if the kernel does not compile), 2 wrong use, 3 no compiler or unwritable "
    "folder.\n";

static int fail(const assay_error *error)
{
    fprintf(stderr, "assay-module: %s\n", error->message);
    return assay_status_exit(error->status);
}

/* The kernel's name and the compiler's first error line. */
static void print_rejection(const module_record *record)
{
    char line[1024];
    module_first_error(record, line, sizeof line);
    clean_printf(stderr, "assay-module: %s does not compile: %s\n", record->source, line);
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    static const struct option options[] = {
        {"workspace", required_argument, NULL, 'w'},
        {"op", required_argument, NULL, 'o'},
        {"source", required_argument, NULL, 's'},
        {"dtype", required_argument, NULL, 't'},
        {"out", required_argument, NULL, 'r'},
        {"variant", required_argument, NULL, 'v'},
        {"depfile", required_argument, NULL, 'd'},
        {"define", required_argument, NULL, 'D'},
        {"hash-listed", required_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *folder = NULL, *op = NULL, *dtype = NULL, *listed = NULL;
    module_request request = {.inspect = resources_inspect, .code_hash = code_hash};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'w':
            folder = optarg;
            break;
        case 'o':
            op = optarg;
            break;
        case 's':
            request.source = optarg;
            break;
        case 't':
            dtype = optarg;
            break;
        case 'r':
            request.record = optarg;
            break;
        case 'v':
            request.variant = optarg;
            break;
        case 'd':
            request.depfile = optarg;
            break;
        case 'l':
            listed = optarg;
            break;
        case 'D':
            if (request.define_count < 32)
                request.defines[request.define_count++] = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return ASSAY_EXIT_OK;
        default:
            fputs(usage, stderr);
            return ASSAY_EXIT_USAGE;
        }
    }
    assay_error error = {0};
    if (listed && request.record && optind == argc && !op && !request.source)
        return compile_hash_listed(listed, request.record, &error) == ASSAY_OK ? ASSAY_EXIT_OK : fail(&error);
    if (optind != argc || !op || !request.source || !dtype || !request.record ||
        !assay_dtype_parse(dtype, &request.dtype)) {
        fputs(usage, stderr);
        return ASSAY_EXIT_USAGE;
    }
    workspace *ws = NULL;
    module_record record;
    if (workspace_open(folder, &ws, &error) != ASSAY_OK)
        return fail(&error);
    request.op = workspace_find_op(ws, op);
    if (request.op == NULL)
        assay_error_set(&error, ASSAY_ERR_INVALID, "unknown op \"%s\"", op);
    else if (module_compile(ws, &request, &record, &error) == ASSAY_OK) {
        if (strcmp(record.status, "does not compile") == 0)
            print_rejection(&record);
        module_record_release(&record);
    }
    workspace_close(ws);
    return error.status == ASSAY_OK ? ASSAY_EXIT_OK : fail(&error);
}
