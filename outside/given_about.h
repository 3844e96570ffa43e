/* Inside outside/given_op: what a reference file and its description say. */
#ifndef ASSAY_OUTSIDE_GIVEN_ABOUT_H
#define ASSAY_OUTSIDE_GIVEN_ABOUT_H

#include <assay/op.h>
#include <jansson.h>

enum { GIVEN_MOST_PARAMETERS = 24, GIVEN_NAME = 16 };

typedef enum given_role { GIVEN_INPUT, GIVEN_OUTPUT, GIVEN_WHOLE, GIVEN_REAL } given_role;

typedef struct given_parameter {
    char name[GIVEN_NAME], type[24]; /* of a tensor its elements' type: "float" or "double" */
    given_role role;
    int line;
} given_parameter;

typedef struct given_about {
    char file[4096], entry[24]; /* the reference, absolute; its function: "solve" or "reference" */
    const char *where;          /* file that messages about the description name; borrowed */
    unsigned dtypes;            /* bit d set: the kernel has elements of assay_dtype d; set by the caller */
    int count, line;            /* of the function */
    given_parameter parameters[GIVEN_MOST_PARAMETERS];
    /* {"shapes": {TENSOR: [AXIS, ...]}, "sizes": {NAME: {DIMENSION: N}}, "values": {NAME: X}, "uniform": [TENSOR], "outputs": [TENSOR],
     *  "tolerance": {"atol", "rtol"}, "flops": TEXT, "op": {keys of op.json}}; owned, every member there */
    json_t *about;
} given_about;

/* Read the function's parameters, and the description: `json_file`, or where it is NULL the lines "// assay: ..." of the reference.
 * Release it always. ASSAY_ERR_INVALID with file and line. */
assay_status given_about_read(const char *reference, const char *json_file, given_about *out,
                              assay_error *error);
void given_about_release(given_about *g);

/* Its parts. The description of the lines "// assay: ..." in a text, into g->about. */
assay_status given_read_comments(given_about *g, const char *text, assay_error *error);
/* "FILE:LINE: message"; without the line where it is 0. */
assay_status given_fail(const char *file, int line, assay_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* op.json. New reference. */
json_t *given_about_spec(const given_about *g, const char *name);

/* op.json, NAME.h and reference.c of the op into a folder. */
assay_status given_about_write(const given_about *g, const char *name, const char *folder,
                               assay_error *error);

#endif
