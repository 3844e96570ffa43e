/* Shared by the files of `assay resources`. */
#ifndef ASSAY_CLI_RESOURCES_H
#define ASSAY_CLI_RESOURCES_H

#include "cli/cli.h"
#include "resources/resources.h"

typedef struct resources_arguments {
    cli_options common;
    const char *arch, *source;
    int check, propose, kernels;
} resources_arguments;

/* A module and what its record says; `resources` is borrowed from the record. */
typedef struct module {
    const workspace_op *op;
    char variant[ASSAY_NAME_MAX];
    const char *dtype;
    char name[3 * ASSAY_NAME_MAX];
    module_record record;
    const json_t *resources;
} module;

typedef struct module_list {
    assay_case *cases;
    module *items;
    int count;
} module_list;

/* Records of the modules of a filter, or of an outside kernel compiled for each of its op's dtypes in the filter. Release also after a
 * failure. */
assay_status resources_list_modules(const workspace *ws, const resources_arguments *a, module_list *list,
                                    assay_error *error);
void resources_release_modules(module_list *list);

void resources_print_table(const module_list *list, const resources_arguments *a);
/* Array of modules with their metrics. New reference. */
json_t *resources_modules_json(const module_list *list, const char *arch);

/* Hold the modules against their budgets, print what is over and return the exit status. */
int resources_check_budgets(const module_list *list, const resources_arguments *a, assay_error *error);
/* {"softmax": {"budgets": {...}}}. New reference. */
json_t *resources_propose(const module_list *list);

#endif
