/* What the subcommands share: common options, opening the workspace and its device, one way to fail. */
#ifndef ASSAY_CLI_H
#define ASSAY_CLI_H

#include "core/workspace.h"
#include <argp.h>
#include <assay/device.h>

typedef struct cli_options {
    const char *build;
    case_filter filter;
    const char *set, *dims, *params; /* NULL, or as given: see configured.h */
    int json, dry_run;
} cli_options;

/* argp child parsers, whose input is a cli_options. common: --build, --json and --dry-run. filter: --op, --variant, --dtype and --size.
 * shape_filter: the same, but the help shows --dtype and --size alone, and the command refuses the others. no_filter: each of the four is
 * refused by one line. */
extern const struct argp cli_common_argp, cli_filter_argp, cli_shape_filter_argp, cli_no_filter_argp;
/* The children of a command that takes the common options and the filter, or the line in its place. */
extern const struct argp_child cli_filter_children[], cli_no_filter_children[];

/* argp parser of a command without options of its own: hands its input to its two children and takes no arguments. */
error_t cli_parse_plain(int key, char *argument, struct argp_state *state);

/* The argument of a command that takes one op, or one list of ops with commas: for ARGP_KEY_ARG. */
error_t cli_parse_op(char *argument, cli_options *common, struct argp_state *state);

/* Parse with the common options added; exits with status 2 on wrong use and 0 on --help, as argp does. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Print "assay COMMAND: message" and return the exit status that belongs to it. */
int cli_fail(const char *command, const assay_error *error);

/* Open the workspace; *ws is NULL and the message printed on failure, and the exit status returned. */
int cli_open(const char *command, const cli_options *options, workspace **ws);

/* Names in the filter that exist nowhere are an error that lists what there is. */
assay_status cli_check_filter(const workspace *ws, const case_filter *filter, assay_error *error);

/* Open the workspace's device and set the results folder by its slug. */
assay_status cli_open_device(workspace *ws, assay_device **device, assay_error *error);

/* --device on CUDA: this process and all that it starts see that card alone, kernels, ceilings and torch's processes alike; *number is then
 * 0. Before any device is opened. ASSAY_ERR_INVALID: there is no such card among the visible ones. */
assay_status cli_choose_card(const workspace *ws, int *number, assay_error *error);

/* `asked`, unless NULL, is the device of --device, and becomes NULL where it is the build's own. Another one is ptx alone: its modules are
 * compiled by the toolchain that assay.json has for it, which takes the place of the build's. */
assay_status cli_choose_device(workspace *ws, const char **asked, assay_error *error);

/* The results of one card under `folder`: the folder itself, its only card, or the only card under its results/ (a bundle). `out` has
 * PATH_MAX bytes. */
assay_status cli_find_card(const char *folder, char *out, assay_error *error);

/* The log of what was tried: the one named, else $ASSAY_EXPERIENCE, else the build's, which is written to `own`. */
void cli_experience_path(const workspace *ws, const char **path, char own[4400]);

/* Print a JSON value on standard output, indented, with a newline, and release it. */
void cli_print_json(json_t *value);

int command_list(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_count(int argc, char **argv);
int command_run(int argc, char **argv);
int command_sanitize(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_report(int argc, char **argv);
int command_env(int argc, char **argv);
int command_new_op(int argc, char **argv);
int command_new_variant(int argc, char **argv);
int command_ingest(int argc, char **argv);
int command_history(int argc, char **argv);
int command_dashboard(int argc, char **argv);
int command_export(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_resources(int argc, char **argv);
int command_targets(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_archive(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_experience(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_optimize(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_mcp(int argc, char **argv);
int command_schema(int argc, char **argv);

#endif
