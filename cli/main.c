/* assay: one command with subcommands. This file only picks the subcommand. */
#include "bench/environment/chosen_card.h"
#include "cli/cli.h"
#include "core/memory.h"
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subcommand {
    const char *name, *what;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
    {"list", "list ops, variants, dtypes, sizes and cases", command_list},
    {"verify", "check kernels against the double reference", command_verify},
    {"run", "run a CUDA program without a GPU, on the device ptx, and report what its kernels do wrong",
     command_run},
    {"count", "count what each source line of a kernel does, on the device ptx", command_count},
    {"sanitize", "run kernels under compute-sanitizer", command_sanitize},
    {"bench", "time verified kernels and their baselines", command_bench},
    {"tune", "search the best values of a kernel's tunables", command_tune},
    {"sweep", "verify and time shapes that nobody chose", command_sweep},
    {"profile", "say what bounds a kernel, and what to try", command_profile},
    {"report", "write logs, summary and plots from results", command_report},
    {"targets", "hold results against what the card's kernels should reach", command_targets},
    {"resources", "show registers, spills and occupancy of compiled kernels, and check their budgets",
     command_resources},
    {"compare", "say which cases got slower between two sets of results", command_compare},
    {"ingest", "put result files into the history", command_ingest},
    {"history", "list the commits and cards of the history", command_history},
    {"dashboard", "write the history as web pages", command_dashboard},
    {"export", "write the history as CSV or JSON", command_export},
    {"archive", "show and export what tuning runs have tried", command_archive},
    {"experience", "what was tried on which kernel, and what came of it", command_experience},
    {"merge", "join archives of tuning runs of many machines", command_merge},
    {"new-op", "write the folder of a new op to be filled in", command_new_op},
    {"new-variant", "write one more kernel file of an op to be filled in", command_new_variant},
    {"optimize", "make a kernel faster, one change at a time", command_optimize},
    {"generate", "let a provider write an op's kernels, keep and time those that are right",
     command_generate},
    {"mcp", "serve these commands as tools to coding agents (Model Context Protocol)", command_mcp},
    {"schema", "print the JSON schema of what a command prints with --json", command_schema},
    {"env", "show devices, compilers and libraries, and what each lack costs", command_env},
};
enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof subcommands[0] };

static void print_usage(FILE *out)
{
    fputs("usage: assay COMMAND [OPTION...]\n\nVerifies, measures and explains GPU kernels.\n\nCommands:\n",
          out);
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        fprintf(out, "  %-11s %s\n", subcommands[i].name, subcommands[i].what);
    fputs("\n`assay COMMAND --help` shows a command's options.\n"
          "Exit status: 0 done, 1 a check failed (wrong kernel), 2 wrong use, 3 something needed is missing "
          "(GPU, compiler,\n"
          "permission, disk space), 77 skipped: nothing was run, and the reason was printed, 130 "
          "interrupted:\n"
          "run it again to go on.\n",
          out);
}

/* What was printed must have arrived: a full disk or a reader that has gone is no success. */
static int finish(const char *command, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: cannot write to standard output: %s\n", command,
            errno ? strerror(errno) : "an earlier write failed");
    return status == ASSAY_EXIT_OK ? ASSAY_EXIT_ENVIRONMENT : status;
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    setlocale(LC_ALL, "C");
    signal(SIGXFSZ,
           SIG_IGN); /* a file size limit is then an error like a full disk, here and in the workers */
    argp_err_exit_status = ASSAY_EXIT_USAGE;
    if (!chosen_card_use_given()) {
        fprintf(stderr,
                "assay: CTEST_RESOURCE_GROUP_0_GPUS is \"%s\"; expected: id:NUMBER or id:gpu_UUID, as in "
                "gpus.json "
                "of the build folder\n",
                getenv("CTEST_RESOURCE_GROUP_0_GPUS"));
        return ASSAY_EXIT_ENVIRONMENT;
    }
    if (argc < 2) {
        print_usage(stderr);
        return ASSAY_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return ASSAY_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("assay " ASSAY_VERSION);
        return ASSAY_EXIT_OK;
    }
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            char name[32];
            snprintf(name, sizeof name, "assay %s", subcommands[i].name);
            argv[1] = name; /* what argp calls the program in its messages */
            return finish(name, subcommands[i].run(argc - 1, argv + 1));
        }
    }
    fprintf(stderr, "assay: unknown command \"%s\"; there are:", argv[1]);
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        fprintf(stderr, " %s", subcommands[i].name);
    fputc('\n', stderr);
    return ASSAY_EXIT_USAGE;
}
