/* A provider behind HTTP that speaks OpenAI's chat completions. "Compatible" endpoints differ: the base may end in /v1 already,
 * and parameters may be refused with status 400, so these are dropped one by one. Redirects are not followed, since the key would
 * go along. Nothing here prints, and the key is cut out of what the server says. */
#include "tune/providers/endpoint.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/utf8.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TRIES = 6, MOST_WAIT_S = 10 };

typedef struct body {
    char *text;
    size_t used;
    int is_too_long;
} body;

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
    body *b = context;
    const size_t bytes = size * count;
    if (b->used + bytes > PROVIDER_MAX_REPLY_BYTES) {
        b->is_too_long = 1;
        return 0;
    }
    char *grown = realloc(b->text, b->used + bytes + 1);
    if (grown == NULL)
        return 0;
    memcpy(grown + b->used, data, bytes);
    b->text = grown;
    b->used += bytes;
    grown[b->used] = '\0';
    return bytes;
}

/* BASE, BASE/v1 and BASE/v1/chat/completions are the same endpoint. */
static int make_address(const char *base, char *out, size_t out_bytes)
{
    size_t length = strlen(base);
    while (length > 0 && base[length - 1] == '/')
        length--;
    const char *tail = "/v1/chat/completions";
    if (length >= 17 && strncmp(base + length - 17, "/chat/completions", 17) == 0)
        tail = "";
    else if (length >= 3 && strncmp(base + length - 3, "/v1", 3) == 0)
        tail = "/chat/completions";
    return snprintf(out, out_bytes, "%.*s%s", (int)length, base, tail) < (int)out_bytes;
}

static int is_local(const char *address)
{
    static const char *const hosts[] = {"http://localhost", "http://127.0.0.1", "http://[::1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const size_t length = strlen(hosts[i]);
        if (strncmp(address, hosts[i], length) == 0 && strchr(":/", address[length]))
            return 1;
    }
    return 0;
}

/* The key, "" for none; NULL and a line in `why` where it must not be sent. */
static const char *find_key(const endpoint_question *options, const char *address, char *why,
                            size_t why_bytes)
{
    const char *variable = options->key_variable ? options->key_variable : "ASSAY_PROVIDER_KEY";
    const char *key = getenv(variable);
    if (key == NULL || key[0] == '\0')
        return "";
    if (strpbrk(key, "\r\n"))
        return snprintf(why, why_bytes, "%s holds a line break", variable), NULL;
    if (strncmp(address, "https://", 8) != 0 && !is_local(address))
        return snprintf(why, why_bytes,
                        "the key in %s is not sent over http:// to another machine; use https://", variable),
               NULL;
    return key;
}

static json_t *make_request(const endpoint_question *question, const char *prompt)
{
    json_t *request =
        json_pack("{s:[{s:s, s:s}, {s:s, s:s}], s:f, s:i, s:{s:s}}", "messages", "role", "system", "content",
                  question->system, "role", "user", "content", prompt, "temperature", 0.7, "max_tokens",
                  question->most_tokens, "response_format", "type", "json_object");
    if (question->model)
        json_object_set_new(request, "model", json_string(question->model));
    return request;
}

/* The parameter that a 400 names, else the next of the list that is still there; 0 if none is left. */
static int drop_parameter(json_t *request, const char *reply)
{
    static const char *const optional[] = {"response_format", "temperature", "max_tokens"};
    for (int named = 1; named >= 0; named--)
        for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
            if (json_object_get(request, optional[i]) && (!named || (reply && strstr(reply, optional[i])))) {
                json_object_del(request, optional[i]);
                return 1;
            }
    return 0;
}

static void mask_key(char *text, const char *key)
{
    for (char *at = text; key[0] && (at = strstr(at, key)) != NULL;)
        memset(at, '*', strlen(key));
}

/* What the server said, in one line, without the key. It is masked before the line is cut, so that no part of it is left. */
static void quote_server(char *text, const char *key, char *out, size_t out_bytes)
{
    if (text)
        mask_key(text, key);
    snprintf(out, out_bytes, "%.160s", text ? text : "");
    utf8_make_line(out);
}

typedef struct exchange {
    const char *address, *key;
    double deadline;
    body body;
    long status;
    double retry_after_s;
} exchange;

/* One POST. 0 and a line in `why` if no answer came. */
static int post(exchange *x, const char *request, char *why, size_t why_bytes)
{
    char *authorization = NULL;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    free(x->body.text);
    x->body = (body){0};
    if (x->key[0] && asprintf(&authorization, "Authorization: Bearer %s", x->key) > 0)
        headers = curl_slist_append(headers, authorization);
    if (curl == NULL || headers == NULL) {
        snprintf(why, why_bytes, "libcurl could not be started");
        return 0;
    }
    const double left = x->deadline - process_clock_s();
    curl_easy_setopt(curl, CURLOPT_URL, x->address);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(left > 0.001 ? left * 1000 : 1));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(request));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &x->body);
    const CURLcode code = curl_easy_perform(curl);
    curl_off_t retry_after = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &x->status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
    x->retry_after_s = (double)retry_after;
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(authorization);
    if (code == CURLE_OK)
        return 1;
    if (x->body.is_too_long)
        snprintf(why, why_bytes, "the endpoint's reply is longer than %d bytes", PROVIDER_MAX_REPLY_BYTES);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        snprintf(why, why_bytes, "the endpoint took longer than its time limit");
    else
        snprintf(why, why_bytes, "the endpoint gave no answer: %s", curl_easy_strerror(code));
    return 0;
}

/* Once, for as long as the server asks, if the time limit allows that. */
static int wait_for_server(const exchange *x)
{
    const double wait = x->retry_after_s > 0 ? x->retry_after_s : 1;
    if (wait > MOST_WAIT_S || process_clock_s() + wait >= x->deadline)
        return 0;
    nanosleep(
        &(struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (double)(time_t)wait) * 1e9)},
        NULL);
    return 1;
}

/* The answers' statuses: 200 done, 400 without a parameter once more, 429 and 503 once more later. */
static int converse(exchange *x, json_t *request, char *why, size_t why_bytes)
{
    char said[200];
    int has_waited = 0;
    for (int i = 0; i < MOST_TRIES; i++) {
        char *text = json_dumps(request, JSON_COMPACT);
        const int has_answer = text && post(x, text, why, why_bytes);
        free(text);
        if (!has_answer)
            return 0;
        if (x->status == 200)
            return 1;
        if (x->status == 400 && drop_parameter(request, x->body.text))
            continue;
        if ((x->status == 429 || x->status == 503) && !has_waited && wait_for_server(x)) {
            has_waited = 1;
            continue;
        }
        break;
    }
    quote_server(x->body.text, x->key, said, sizeof said);
    snprintf(why, why_bytes, "the endpoint answers with HTTP status %ld%s%s%s", x->status,
             x->status == 429 ? " (too many requests)" : "", said[0] ? ": " : "", said);
    return 0;
}

static int take_content(const exchange *x, char **reply, char *why, size_t why_bytes)
{
    json_error_t where;
    json_t *root = json_loadb(x->body.text ? x->body.text : "", x->body.used, 0, &where);
    const json_t *message = json_object_get(json_array_get(json_object_get(root, "choices"), 0), "message");
    const char *content = json_string_value(json_object_get(message, "content"));
    *reply = content ? strdup(content) : NULL;
    if (*reply)
        mask_key(*reply, x->key); /* replies are kept */
    if (*reply == NULL)
        snprintf(why, why_bytes,
                 root ? "the endpoint's answer has no choices[0].message.content"
                      : "the endpoint's answer is not JSON");
    json_decref(root);
    return *reply != NULL;
}

int endpoint_ask(const endpoint_question *question, const char *prompt, double time_limit_s, char **reply,
                 char *why, size_t why_bytes)
{
    char address[2048];
    exchange x = {.address = address, .deadline = process_clock_s() + time_limit_s};
    *reply = NULL;
    if (!make_address(question->address, address, sizeof address))
        return snprintf(why, why_bytes, "the endpoint's address is too long"), 0;
    x.key = find_key(question, address, why, why_bytes);
    if (x.key == NULL)
        return 0;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    json_t *request = make_request(question, prompt);
    const int done = converse(&x, request, why, why_bytes) && take_content(&x, reply, why, why_bytes);
    json_decref(request);
    free(x.body.text);
    return done;
}
