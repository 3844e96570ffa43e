/* assay mcp: Assay's commands as tools for agents, over standard input and output. */
#include "cli/cli.h"
#include "cli/schema_texts.h"
#include "core/process.h"
#include "mcp/mcp.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *schema_of(const char *command)
{
    for (const schema_text *s = schema_texts; s->command; s++)
        if (strcmp(s->command, command) == 0)
            return s->text;
    return NULL;
}

int command_mcp(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = cli_parse_plain,
        .doc =
            "Serve the Model Context Protocol on standard input and output, for coding agents: tools list, "
            "verify, bench, compare and others, each a command run with --json.\v"
            "docs/agents.md says how agents are told of it. Ends when the input ends. Exit status: 0 done, "
            "2 wrong use, 3 the output is gone, 130 interrupted.",
        .children = cli_no_filter_children,
    };
    cli_options options = {0};
    char program[PATH_MAX], scratch[PATH_MAX];
    assay_error error = {0};
    workspace *ws;
    cli_parse(&argp, argc, argv, &options);
    const int exit_status = cli_open("mcp", &options, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    snprintf(scratch, sizeof scratch, "%s/outside/mcp", ws->path);
    process_watch_interrupts();
    const mcp_options serve = {.program = program,
                               .build = ws->path,
                               .scratch = scratch,
                               .version = ASSAY_VERSION,
                               .input_fd = STDIN_FILENO,
                               .output_fd = STDOUT_FILENO,
                               .schema_of = schema_of};
    const assay_status status = mcp_serve(&serve, &error);
    workspace_close(ws);
    return status != ASSAY_OK ? cli_fail("mcp", &error) : process_interrupted() ? 130 : ASSAY_EXIT_OK;
}
