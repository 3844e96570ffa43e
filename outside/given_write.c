/* The files of a given op: see given_about.h. */
#include "outside/given_about.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_role(const given_about *g, int i, given_role role)
{
    return g->parameters[i].role == role;
}

static const json_t *axes_of(const given_about *g, int i)
{
    return json_object_get(json_object_get(g->about, "shapes"), g->parameters[i].name);
}

/* ---- the header ---- */

static void put_header(FILE *out, const given_about *g, const char *name)
{
    fprintf(out,
            "/* Arguments of the op `%s`, from the signature of %s() in %s. */\n#ifndef ASSAY_GIVEN_H\n"
            "#define ASSAY_GIVEN_H\n\n#include <assay/module.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
            "extern \"C\" {\n#endif\n\ntypedef struct %s_args {\n",
            name, g->entry, g->file, name);
    for (int i = 0; i < g->count; i++) {
        static const char *const types[] = {"const void *", "void *", "int64_t ", "double "};
        fprintf(out, "    %s%s;\n", types[g->parameters[i].role], g->parameters[i].name);
    }
    fprintf(out,
            "} %s_args;\n\nASSAY_EXPORT assay_status %s_run(const %s_args *args, assay_stream stream);\n\n"
            "#ifdef __cplusplus\n}\n#endif\n#endif\n",
            name, name, name);
}

/* ---- reference.c ---- */

/* float is double in the reference's text, and so are the functions of <math.h> that it calls. */
static void put_reference_text(FILE *out, const given_about *g)
{
    static const char *const functions[] = {
        "acos",  "asin",  "atan",   "atan2", "cbrt",  "ceil",  "copysign", "cos",       "cosh", "erf",
        "erfc",  "exp",   "exp2",   "expm1", "fabs",  "floor", "fma",      "fmax",      "fmin", "fmod",
        "hypot", "ldexp", "lgamma", "log",   "log10", "log1p", "log2",     "nearbyint", "pow",  "rint",
        "round", "sin",   "sinh",   "sqrt",  "tan",   "tanh",  "tgamma",   "trunc"};
    fputs(
        "#include <assert.h>\n#include <float.h>\n#include <limits.h>\n#include <math.h>\n#include "
        "<stdbool.h>\n"
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
        "<string.h>\n"
        "#include <assay/op.h>\n\n/* In double: the expected output must be better than what it judges. */\n"
        "#define float double\n",
        out);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        fprintf(out, "#define %sf %s\n", functions[i], functions[i]);
    fprintf(out, "#include \"%s\"\n", g->file);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        fprintf(out, "#undef %sf\n", functions[i]);
    fputs("#undef float\n\n", out);
}

static void put_dims(FILE *out, const given_about *g, const char *type)
{
    for (int i = 0; i < g->count; i++)
        if (is_role(g, i, GIVEN_WHOLE))
            fprintf(out, "    const %s %s = (%s)assay_problem_integer(problem, \"%s\");\n    (void)%s;\n",
                    type, g->parameters[i].name, type, g->parameters[i].name, g->parameters[i].name);
}

static void put_infer(FILE *out, const given_about *g)
{
    int output = 0;
    fputs("static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error "
          "*error)\n{\n",
          out);
    put_dims(out, g, "int64_t");
    for (int i = 0; i < g->count; i++) {
        size_t axis;
        json_t *text;
        if (!is_role(g, i, GIVEN_OUTPUT))
            continue;
        fprintf(out, "    outputs[%d].dtype = problem->dtype;\n    outputs[%d].rank = %zu;\n", output, output,
                json_array_size(axes_of(g, i)));
        json_array_foreach((json_t *)axes_of(g, i), axis, text)
        {
            fprintf(out,
                    "    outputs[%d].shape[%zu] = %s;\n    if (outputs[%d].shape[%zu] < 0) {\n        if "
                    "(error)\n"
                    "            snprintf(error->message, sizeof error->message, \"axis %zu of %s would be "
                    "negative\");\n        return ASSAY_ERR_INVALID;\n    }\n",
                    output, axis, json_string_value(text), output, axis, axis, g->parameters[i].name);
        }
        output++;
    }
    fputs("    return ASSAY_OK;\n}\n\n", out);
}

static void put_bind(FILE *out, const given_about *g, const char *name)
{
    int input = 0, output = 0;
    fprintf(out,
            "static assay_status bind(const assay_problem *problem, void *args)\n{\n    %s_args *a = args;\n",
            name);
    for (int i = 0; i < g->count; i++) {
        const char *p = g->parameters[i].name;
        if (is_role(g, i, GIVEN_INPUT))
            fprintf(out, "    a->%s = problem->inputs[%d].data;\n", p, input++);
        else if (is_role(g, i, GIVEN_OUTPUT))
            fprintf(out, "    a->%s = problem->outputs[%d].data;\n", p, output++);
        else
            fprintf(out, "    a->%s = assay_problem_%s(problem, \"%s\");\n", p,
                    is_role(g, i, GIVEN_WHOLE) ? "integer" : "real", p);
    }
    fputs("    return ASSAY_OK;\n}\n\n", out);
}

/* Inputs come as float and are widened; outputs are double already. */
static void put_call(FILE *out, const given_about *g)
{
    int input = 0, output = 0;
    fputs("static double *widen(const assay_tensor *tensor)\n{\n    const int64_t count = "
          "assay_tensor_count(tensor);\n"
          "    double *copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);\n"
          "    for (int64_t i = 0; copy && i < count; i++)\n        copy[i] = ((const float "
          "*)tensor->data)[i];\n"
          "    return copy;\n}\n\n"
          "static assay_status compute(const assay_problem *problem, double *scale)\n{\n"
          "    double *inputs[ASSAY_MAX_TENSORS] = {NULL};\n    int ready = 1;\n    (void)scale;\n"
          "    for (int i = 0; i < problem->input_count; i++) {\n"
          "        inputs[i] = widen(&problem->inputs[i]);\n        ready &= inputs[i] != NULL;\n    }\n    "
          "if (ready)\n",
          out);
    fprintf(out, "        %s(", g->entry);
    for (int i = 0; i < g->count; i++) {
        const char *p = g->parameters[i].name, *comma = i ? ", " : "";
        if (is_role(g, i, GIVEN_INPUT))
            fprintf(out, "%sinputs[%d]", comma, input++);
        else if (is_role(g, i, GIVEN_OUTPUT))
            fprintf(out, "%sproblem->outputs[%d].data", comma, output++);
        else
            fprintf(out, "%s(%s)assay_problem_%s(problem, \"%s\")", comma,
                    is_role(g, i, GIVEN_REAL) ? "double" : g->parameters[i].type,
                    is_role(g, i, GIVEN_WHOLE) ? "integer" : "real", p);
    }
    fputs(");\n    for (int i = 0; i < problem->input_count; i++)\n        free(inputs[i]);\n"
          "    return ready ? ASSAY_OK : ASSAY_ERR_NO_MEMORY;\n}\n\n",
          out);
}

static void put_costs(FILE *out, const given_about *g, const char *name)
{
    const char *flops = json_get_text(g->about, "flops", "");
    fputs("static double flops(const assay_problem *problem)\n{\n", out);
    put_dims(out, g, "double");
    fprintf(out, "    (void)problem;\n    return %s;\n}\n\n", flops[0] ? flops : "0");
    fputs("/* Each input read once, each output written once. */\n"
          "static double bytes(const assay_problem *problem)\n{\n    double count = 0;\n"
          "    for (int i = 0; i < problem->input_count; i++)\n"
          "        count += (double)assay_tensor_count(&problem->inputs[i]);\n"
          "    for (int i = 0; i < problem->output_count; i++)\n"
          "        count += (double)assay_tensor_count(&problem->outputs[i]);\n"
          "    return count * (double)assay_dtype_bytes(problem->dtype);\n}\n\n",
          out);
    fprintf(out,
            "const assay_op_impl *assay_op_get(void)\n{\n    static const assay_op_impl impl = {\n"
            "        .abi = ASSAY_OP_ABI, .name = \"%s\", .args_bytes = sizeof(%s_args), .infer = infer,\n"
            "        .bind = bind, .reference = compute, .flops = flops, .bytes = bytes};\n    return "
            "&impl;\n}\n",
            name, name);
}

static void put_reference(FILE *out, const given_about *g, const char *name)
{
    fprintf(out, "/* Generated from %s: its function as the reference of an op. */\n", g->file);
    put_reference_text(out, g);
    fprintf(out, "#include \"%s.h\"\n\n", name);
    put_infer(out, g);
    put_bind(out, g, name);
    put_call(out, g);
    put_costs(out, g, name);
}

static assay_status write_with(void (*put)(FILE *out, const given_about *g, const char *name),
                               const given_about *g, const char *name, const char *path, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = text_stream_open(&text, &bytes);
    if (!out)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    put(out, g, name);
    assay_status status = text_stream_close(out, &text)
                              ? ASSAY_OK
                              : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

assay_status given_about_write(const given_about *g, const char *name, const char *folder, assay_error *error)
{
    char path[4400];
    json_t *op = given_about_spec(g, name);
    if (!op)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    snprintf(path, sizeof path, "%.4200s/op.json", folder);
    assay_status status = json_file_write(path, op, 0, error);
    json_decref(op);
    snprintf(path, sizeof path, "%.4200s/%s.h", folder, name);
    if (status == ASSAY_OK)
        status = write_with(put_header, g, name, path, error);
    snprintf(path, sizeof path, "%.4200s/reference.c", folder);
    return status == ASSAY_OK ? write_with(put_reference, g, name, path, error) : status;
}
