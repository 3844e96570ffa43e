/* `assay mcp`: Assay's commands as tools of the Model Context Protocol, over standard input and output (JSON-RPC 2.0, a message a line).
 * A tool is a command run with --json in a process of its own: what it returns is what the command prints, so nothing can be told to this
 * server that it would believe. It measures one call at a time; ping, lists and cancellation are answered meanwhile. */
#ifndef ASSAY_MCP_MCP_H
#define ASSAY_MCP_MCP_H

#include <assay/status.h>

typedef struct mcp_options {
    const char *program; /* path of assay */
    const char *build;   /* --build of the commands; NULL: they find it */
    const char *scratch; /* folder for sources that come as text; they are removed after the call */
    const char *version; /* of Assay */
    int input_fd, output_fd;
    /* The JSON schema of what a command prints with --json; NULL: there is no such command, and no tool of it. */
    const char *(*schema_of)(const char *command);
} mcp_options;

/* Serve until the input ends and what was asked for is answered, or until an interrupt. ASSAY_ERR_IO: the output is gone. */
assay_status mcp_serve(const mcp_options *options, assay_error *error);

#endif
