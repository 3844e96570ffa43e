/* Asking a provider: see provider.h. */
#include "optimize/provider.h"
#include "core/json_file.h"
#include "core/piped.h"
#include "core/schema.h"
#include "core/utf8.h"
#include "tune/providers/endpoint.h"
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_S 600.0
enum { MOST_TOKENS = 32768 }; /* of an answer: a kernel file and its words */

static json_t *answer_schema(void)
{
    return json_loads("{\"type\": \"object\", \"required\": [\"source\"], \"properties\": {"
                      "\"source\": {\"type\": \"string\"}, \"hypothesis\": {\"type\": \"string\"}, "
                      "\"rationale\": {\"type\": \"string\"}, \"expected\": {\"type\": \"string\"}, "
                      "\"expected_speedup\": {\"type\": [\"number\", \"null\"]}, "
                      "\"provider\": {\"type\": \"string\"}}}",
                      0, NULL);
}

json_t *provider_answer_rules(void)
{
    return json_pack("{s:s, s:o}", "rule",
                     "one JSON object and nothing else on standard output; source is the whole .cu file",
                     "schema", answer_schema());
}

static void hash_text(const char *text, char hex[65])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)text, strlen(text));
    SHA256End(&context, hex);
}

/* Its last words, in one line. */
static void last_line(const char *text, char *out, size_t bytes)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    snprintf(out, bytes, "%.*s", (int)(length - begin < bytes ? length - begin : bytes - 1), text + begin);
    utf8_make_line(out);
}

/* An answer as text, held against the schema. */
static assay_status take_answer(const char *text, size_t length, json_t **answer, assay_error *error)
{
    json_error_t why;
    *answer = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!*answer)
        return assay_error_set(error, ASSAY_ERR_CHECK, "the provider's answer is no JSON: line %d: %.200s",
                               why.line, why.text);
    json_t *schema = answer_schema();
    assay_error unfit = {0};
    assay_status status = schema_check(schema, *answer, "answer", &unfit);
    json_decref(schema);
    if (status != ASSAY_OK)
        return assay_error_set(error, ASSAY_ERR_CHECK, "the provider's answer: %s", unfit.message);
    if (json_get_text(*answer, "source", "")[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_CHECK, "the provider's answer has an empty source");
    return ASSAY_OK;
}

static assay_status read_answer(const piped *p, const process_result *ended, json_t **answer,
                                assay_error *error)
{
    char how[160], words[240];
    if (ended->end == PROCESS_INTERRUPTED)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted");
    process_describe(ended, how, sizeof how);
    last_line(p->messages, words, sizeof words);
    if (ended->end == PROCESS_EXITED && ended->code == 127)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the provider cannot be run: %s", words);
    if (ended->end != PROCESS_EXITED || ended->code != 0)
        return assay_error_set(error, ASSAY_ERR_CHECK, "the provider %s%s%s", how, words[0] ? ": " : "",
                               words);
    return take_answer(p->output, strlen(p->output), answer, error);
}

static double limit_of(const provider *p)
{
    return p->limit_s > 0 ? p->limit_s : DEFAULT_LIMIT_S;
}

static assay_status ask_command(const provider *p, const char *prompt, json_t **answer, assay_error *error)
{
    piped command;
    process_result ended;
    const char *const argv[] = {"/bin/sh", "-c", p->command, NULL};
    assay_status status = piped_start(argv, prompt, &command, error);
    if (status == ASSAY_OK) {
        piped_finish(&command, limit_of(p), &ended);
        status = read_answer(&command, &ended, answer, error);
    }
    piped_release(&command);
    return status;
}

/* A try that failed may be repeated, so nothing that an endpoint does ends a run. */
static assay_status ask_endpoint(const provider *p, const char *prompt, json_t **answer, assay_error *error)
{
    char *reply = NULL, why[400] = "";
    size_t length = 0;
    const endpoint_question question = {
        .address = p->command,
        .model = p->model,
        .system =
            "You write CUDA kernels for a tool that compiles, judges and times them. Answer with one JSON "
            "object in the form that \"answer\" of the request asks for and with nothing else.",
        .most_tokens = MOST_TOKENS};
    if (!endpoint_ask(&question, prompt, limit_of(p), &reply, why, sizeof why)) {
        utf8_make_line(why);
        return assay_error_set(error, ASSAY_ERR_CHECK, "%s", why);
    }
    const char *text = endpoint_text(reply, &length);
    const assay_status status = take_answer(text, length, answer, error);
    free(reply);
    return status;
}

void provider_describe(const provider *p, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s", p->command ? p->command : "");
    if (endpoint_is_address(out))
        out[strcspn(out, "?#")] = '\0';
}

assay_status provider_ask(const provider *p, const json_t *prompt, json_t **answer, char hash[65],
                          assay_error *error)
{
    char *text = json_dumps(prompt, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    *answer = NULL;
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a prompt");
    hash_text(text, hash);
    const assay_status status =
        (endpoint_is_address(p->command) ? ask_endpoint : ask_command)(p, text, answer, error);
    free(text);
    if (status != ASSAY_OK) {
        json_decref(*answer);
        *answer = NULL;
    }
    return status;
}
