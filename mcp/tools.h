/* The tools: a table from names and arguments to commands. Runs nothing. */
#ifndef ASSAY_MCP_TOOLS_H
#define ASSAY_MCP_TOOLS_H

#include "mcp/mcp.h"
#include <jansson.h>

enum { TOOL_MOST_WORDS = 64 };

typedef enum argument_kind {
    ARGUMENT_TEXT,
    ARGUMENT_NUMBER,
    ARGUMENT_FLAG,
    ARGUMENT_SOURCE, /* text of a kernel, which is put into a file */
    ARGUMENT_PLACE   /* a word of its own, without an option before it */
} argument_kind;

typedef struct tool_argument {
    const char *name, *option;
    argument_kind kind;
    int required;
    const char *about;
} tool_argument;

typedef struct tool {
    const char *name, *command, *about; /* the command's name in `assay COMMAND` */
    const char *fixed;                  /* a word that is always given; NULL: none */
    const tool_argument *arguments;     /* ends with a NULL name */
} tool;

/* The tool of a name among those whose command exists; NULL: none. */
const tool *tool_find(const mcp_options *options, const char *name);

/* The array of tools/list. New reference. */
json_t *tools_list(const mcp_options *options);

/* The words of the command, NULL-terminated: malloc'ed, to be freed with tool_free_words(). A source given as text is written to
 * `source_path` (PATH_MAX bytes), "" where none was. ASSAY_ERR_INVALID: the arguments are wrong, and how. */
assay_status tool_words(const mcp_options *options, const tool *t, const json_t *arguments,
                        char *words[TOOL_MOST_WORDS], char *source_path, assay_error *error);
void tool_free_words(char *words[TOOL_MOST_WORDS]);

#endif
