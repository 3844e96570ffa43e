/* The verdict of a case of a workspace: see case_verdict.h. */
#include "results/case_verdict.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include "results/describe_case.h"
#include "results/problem_hash.h"
#include <stdio.h>
#include <string.h>

typedef struct verdict_hashes {
    char kernel[65], reference[65], op_json[HASH_TEXT_BYTES];
} verdict_hashes;

static void find_hashes(const workspace *ws, const assay_case *c, const module_record *module,
                        verdict_hashes *out)
{
    snprintf(out->kernel, sizeof out->kernel, "%s", module ? module->source_sha256 : "");
    reference_hash(c->op, out->reference);
    (void)problem_hash(c->op->spec, c->dtype, c->size, ws->device, out->op_json, NULL);
}

void case_verdict_identify(const workspace *ws, const assay_case *c, json_t *verdict)
{
    verdict_hashes now;
    find_hashes(ws, c, NULL, &now);
    json_object_set_new(verdict, "reference_sha256", json_string(now.reference));
    json_object_set_new(verdict, "op_json_sha256", json_string(now.op_json));
}

static void add_difference(const char *what, const char *then, const char *now, case_verdict *out)
{
    const size_t used = strlen(out->reason);
    if (strcmp(then, now) == 0)
        return;
    snprintf(out->status, sizeof out->status, "stale");
    snprintf(out->reason + used, sizeof out->reason - used, "%s%s (%.8s, now %.8s)",
             used ? " and " : "verdict is of another ", what, then[0] ? then : "unknown",
             now[0] ? now : "unknown");
}

/* One verdict file against what would be timed now. */
static void read_one(const workspace *ws, const assay_case *c, const module_record *module, case_verdict *out)
{
    char path[4400];
    verdict_hashes now;
    *out = (case_verdict){.status = "missing"};
    case_verdict_path(ws, c, path, sizeof path);
    if (json_file_read(path, &out->document, NULL) != ASSAY_OK)
        return;
    find_hashes(ws, c, module, &now);
    add_difference("kernel", json_get_text(out->document, "source_sha256", ""), now.kernel, out);
    add_difference("reference.c", json_get_text(out->document, "reference_sha256", ""), now.reference, out);
    add_difference("op.json", json_get_text(out->document, "op_json_sha256", ""), now.op_json, out);
    utf8_make_line(out->reason);
    if (strcmp(out->status, "stale") == 0)
        return;
    const char *status = json_get_text(out->document, "status", "");
    snprintf(out->status, sizeof out->status, "%s", status[0] ? status : "missing");
    utf8_make_line(out->status);
    snprintf(out->reason, sizeof out->reason, "%s", json_get_text(out->document, "reason", ""));
    utf8_make_line(out->reason);
}

void case_verdict_read(const workspace *ws, const assay_case *c, const module_record *module,
                       case_verdict *out)
{
    if (strcmp(module->status, "ok") != 0) {
        *out = (case_verdict){.status = ""};
        snprintf(out->status, sizeof out->status, "%s", module->status);
        module_first_error(module, out->reason, sizeof out->reason);
        utf8_make_line(out->status);
        utf8_make_line(out->reason);
        return;
    }
    read_one(ws, c, module, out);
    if (strcmp(out->status, "pass") != 0 || c->op->spec->edge_count == 0 || strcmp(c->size, "edge") == 0)
        return;
    assay_case edge = *c;
    case_verdict of_edge;
    snprintf(edge.size, sizeof edge.size, "edge");
    read_one(ws, &edge, module, &of_edge);
    if (strcmp(of_edge.status, "pass") == 0) {
        case_verdict_release(&of_edge);
        return;
    }
    json_t *own = out->document;
    *out = of_edge;
    if (out->document)
        json_decref(own);
    else
        out->document = own;
}

void case_verdict_explain(const case_verdict *verdict, char *out, size_t bytes)
{
    const int missing = strcmp(verdict->status, "missing") == 0,
              stale = strcmp(verdict->status, "stale") == 0;
    snprintf(out, bytes, "correctness: %s%s%.500s%s", verdict->status,
             missing || verdict->reason[0] ? ": " : "",
             missing ? "this size or the edge cases were never verified; run assay verify" : verdict->reason,
             stale ? "; run assay verify again" : "");
}

void case_verdict_release(case_verdict *verdict)
{
    json_decref(verdict->document);
    verdict->document = NULL;
}

int case_is_verified(const workspace *ws, const assay_case *c)
{
    char path[4400];
    module_record module;
    case_verdict found;
    case_module_path(ws, c, path, sizeof path);
    if (module_record_read(path, &module, NULL) != ASSAY_OK)
        return 0;
    read_one(ws, c, &module, &found);
    case_verdict_release(&found);
    module_record_release(&module);
    return strcmp(found.status, "missing") != 0 && strcmp(found.status, "stale") != 0;
}
