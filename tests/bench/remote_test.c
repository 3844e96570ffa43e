/* The client of measuring servers, and torch's candidate, against a server of the test's own in a child process. */
#include "tests/unit.h"
#include "bench/run/candidate.h"
#include "core/json_file.h"
#include "bench/baselines/remote.h"
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct server {
    char folder[64], socket[96];
    pid_t pid;
} server;

/* What the server does with each request, by its "cmd": a line to send, or NULL to hang up. */
typedef const char *(*answer_fn)(const json_t *request);

static void serve_one(int connection, answer_fn answer)
{
    char line[65536];
    size_t used = 0;
    ssize_t got;
    while ((got = recv(connection, line + used, sizeof line - used - 1, 0)) > 0) {
        used += (size_t)got;
        line[used] = '\0';
        if (!strchr(line, '\n'))
            continue;
        json_t *request = json_loads(line, 0, NULL);
        const char *text = request ? answer(request) : NULL;
        json_decref(request);
        used = 0;
        if (!text)
            break;
        /* In two pieces, as a socket may deliver it. */
        const size_t half = strlen(text) / 2;
        if (send(connection, text, half, MSG_NOSIGNAL) < 0)
            break;
        usleep(2000);
        if (send(connection, text + half, strlen(text) - half, MSG_NOSIGNAL) < 0)
            break;
    }
    close(connection);
}

static void start_server(server *s, answer_fn answer)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(s->folder, "/tmp/assay-remote-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->socket, sizeof s->socket, "%s/socket", s->folder);
    strcpy(address.sun_path, s->socket);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
    s->pid = fork();
    if (s->pid == 0)
        for (;;)
            serve_one(accept(listener, NULL, NULL), answer);
    close(listener);
}

static void stop_server(server *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    unlink(s->socket);
    rmdir(s->folder);
}

/* The inputs come as files: the first element of the second tells whether these are the test's. */
static int has_input(const json_t *request)
{
    float first = 0.0f;
    FILE *file = fopen(json_string_value(json_array_get(json_object_get(request, "data"), 1)), "rb");
    const int got = file && fread(&first, sizeof first, 1, file) == 1 && first == 2.5f;
    if (file)
        fclose(file);
    return got;
}

/* An output of all sevens. */
static const char *write_output(const json_t *request)
{
    const float seven = 7.0f;
    FILE *file = fopen(json_get_text(request, "path", ""), "wb");
    for (int i = 0; file && i < 8 * 16; i++)
        fwrite(&seven, sizeof seven, 1, file);
    if (file)
        fclose(file);
    return "{\"ok\": true}\n";
}

static const char *answer_well(const json_t *request)
{
    const char *command = json_get_text(request, "cmd", "");
    if (strcmp(command, "prepare") == 0) {
        const json_t *shape = json_array_get(json_object_get(request, "inputs"), 0);
        const int understood =
            strcmp(json_get_text(request, "op", ""), "add") == 0 && json_array_size(shape) == 2 &&
            strcmp(json_get_text(request, "mode", ""), "compile") == 0 && has_input(request) &&
            strcmp(json_get_text(request, "flush", ""), "read") == 0 &&
            json_get_number(json_object_get(request, "params"), "alpha", 0.0) == 0.5;
        if (strcmp(json_get_text(request, "flush", ""), "memset") == 0)
            return "{\"ok\": true, \"launch_overhead_us\": null}\n";
        return understood ? "{\"ok\": true, \"version\": \"torch 9.9.9\", \"launch_overhead_us\": 2.75}\n"
                          : "{\"ok\": false, \"unsupported\": true, \"reason\": \"not understood\"}\n";
    }
    if (strcmp(command, "output") == 0)
        return write_output(request);
    if (strcmp(command, "measure") == 0)
        return strcmp(json_get_text(request, "mode", ""), "sustained") == 0
                   ? "{\"ok\": true, \"samples_us\": [1.5, 2.5], \"launches_per_sample\": 20}\n"
                   : "{\"ok\": true, \"samples_us\": [5.0, 6.0, 7.0]}\n";
    return "{\"ok\": true}\n";
}

static const char *answer_badly(const json_t *request)
{
    const char *command = json_get_text(request, "cmd", "");
    if (strcmp(command, "prepare") == 0)
        return "{\"ok\": false, \"reason\": \"no such operator\"}\n";
    if (strcmp(command, "measure") == 0)
        return "this is not JSON\n";
    if (strcmp(command, "release") == 0)
        return NULL;
    pause();
    return NULL;
}

static void passes_answers_on(void **state)
{
    server s;
    remote *r = NULL;
    json_t *answer = NULL;
    start_server(&s, answer_well);
    assert_int_equal(remote_connect(s.socket, &r, NULL), ASSAY_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(remote_call(r, json_pack("{s:s}", "cmd", "release"), 10.0, &answer, NULL), ASSAY_OK);
        json_decref(answer);
    }
    remote_close(r);
    stop_server(&s);
}

static void reports_what_goes_wrong(void **state)
{
    static const struct {
        const char *command, *message;
        double limit_s;
    } cases[] = {{"prepare", "no such operator", 10.0},
                 {"measure", "not a JSON object", 10.0},
                 {"release", "ended", 10.0},
                 {"sleep", "did not answer in time", 0.2}};
    server s;
    start_server(&s, answer_badly);
    for (int i = 0; i < 4; i++) {
        remote *r = NULL;
        json_t *answer = NULL;
        assay_error error = {0};
        assert_int_equal(remote_connect(s.socket, &r, NULL), ASSAY_OK);
        assert_int_not_equal(
            remote_call(r, json_pack("{s:s}", "cmd", cases[i].command), cases[i].limit_s, &answer, &error),
            ASSAY_OK);
        assert_null(answer);
        if (!strstr(error.message, cases[i].message))
            fail_msg("%s: %s", cases[i].command, error.message);
        remote_close(r);
    }
    stop_server(&s);
}

static void names_a_server_that_is_not_there(void **state)
{
    remote *r = NULL;
    assay_error error = {0};
    assert_int_equal(remote_connect("/tmp/assay-no-such-socket", &r, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/tmp/assay-no-such-socket"));
}

/* As much of a problem as the candidate looks at. */
static problem_set *make_set(assay_device *device, opspec *spec)
{
    static problem_set set;
    memset(&set, 0, sizeof set);
    snprintf(spec->name, sizeof spec->name, "add");
    snprintf(spec->torch, sizeof spec->torch, "torch.add");
    set.spec = spec;
    set.device = device;
    set.host.dtype = ASSAY_F32;
    set.host.input_count = 2;
    static float values[8 * 16];
    static assay_problem slot;
    set.host.inputs[0] = set.host.inputs[1] = (assay_tensor){.data = values, .rank = 2, .shape = {8, 16}};
    slot.outputs[0] = set.host.inputs[0];
    set.slots = &slot;
    set.host.param_count = 1;
    set.host.params[0] = (assay_param){.name = "alpha", .type = ASSAY_PARAM_REAL, .real = 0.5};
    return &set;
}

static void torch_alternates_with_others(void **state)
{
    server s;
    candidate torch;
    sample_set samples = {0};
    assay_device *device = NULL;
    opspec *spec = calloc(1, sizeof *spec);
    const sample_plan plan = {.warmup_ms = 1.0, .sample_ms = 1.0, .flush = "memset"};
    start_server(&s, answer_well);
    assert_int_equal(assay_device_open("cpu", 0, &device, NULL), ASSAY_OK);
    problem_set *set = make_set(device, spec);
    float *values = set->host.inputs[1].data;
    values[0] = 2.5f;
    assert_int_equal(candidate_make_remote(&torch, set, "torch_compile", "read", s.socket, NULL), ASSAY_OK);
    assert_string_equal(torch.name, "baseline_torch_compile");
    char input[96];
    snprintf(input, sizeof input, "%s/input1", s.folder);
    assert_int_equal(access(input, R_OK), 0); /* for the group's next such candidate */
    assert_string_equal(torch.version, "torch 9.9.9");
    assert_near(torch.overhead_cold_us, 2.75, 0.0);
    assert_int_equal(torch.measure(&torch, TIMING_COLD, &plan, &samples, NULL), ASSAY_OK);
    assert_int_not_equal(access(input, F_OK), 0); /* all are prepared once one is measured */
    assert_int_equal(samples.count, 3);
    assert_near(samples.us[2], 7.0, 0.0);
    assert_int_equal(samples.launches_per_sample, 1);
    sample_set_clear(&samples);
    assert_int_equal(torch.measure(&torch, TIMING_SUSTAINED, &plan, &samples, NULL), ASSAY_OK);
    assert_int_equal(samples.count, 2);
    assert_int_equal(samples.launches_per_sample, 20);
    assert_int_equal(torch.measure(&torch, TIMING_BURST, &plan, &samples, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_int_equal(torch.measure(&torch, TIMING_HOST, &plan, &samples, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_int_equal(torch.writes_output, 1);
    assert_int_equal(torch.deliver(&torch, torch.last_slot(&torch, TIMING_HOT), NULL), ASSAY_OK);
    assert_near(values[8 * 16 - 1], 7.0, 0.0);
    values[0] = 2.5f;
    torch.release(&torch);
    assert_int_equal(candidate_make_remote(&torch, set, "torch_compile", "memset", s.socket, NULL), ASSAY_OK);
    assert_true(torch.overhead_cold_us < 0.0); /* the server could not tell */
    torch.release(&torch);
    /* The same server does not know the eager form: the candidate is unavailable, with the server's reason. */
    assay_error error = {0};
    assert_int_equal(candidate_make_remote(&torch, set, "torch_eager", "read", s.socket, &error),
                     ASSAY_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "not understood");
    assert_int_not_equal(access(input, F_OK), 0);
    torch.release(&torch);
    sample_set_release(&samples);
    assay_device_close(device);
    free(spec);
    stop_server(&s);
}

static void knows_names(void **state)
{
    static const char *const remote_baselines[] = {"torch_eager", "torch_compile_tf32", "triton",
                                                   "triton_tf32"};
    static const char *const others[] = {"cublaslt", "cudnn", "copy", "reference", "cublaslt_tf32"};
    for (size_t i = 0; i < sizeof remote_baselines / sizeof *remote_baselines; i++)
        assert_true(candidate_is_remote(remote_baselines[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(candidate_is_remote(others[i]));
    assert_true(candidate_is_compiled("torch_compile_tf32") && candidate_is_expensive("torch_compile_tf32"));
    assert_true(candidate_is_expensive("triton") && !candidate_is_compiled("triton"));
    assert_false(candidate_is_expensive("torch_eager") || candidate_is_expensive("cudnn"));
    assert_string_equal(candidate_math_mode("cublaslt_tf32"), "tf32");
    assert_string_equal(candidate_math_mode("cublaslt"), "ieee");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_names),
        cmocka_unit_test(passes_answers_on),
        cmocka_unit_test(reports_what_goes_wrong),
        cmocka_unit_test(names_a_server_that_is_not_there),
        cmocka_unit_test(torch_alternates_with_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
