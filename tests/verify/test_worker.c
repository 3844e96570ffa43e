/* The judge's end of the conversation with a worker, against processes that crash, hang, lie and talk: what becomes of each. */
#include "tests/unit.h"
#include "verify/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void greet(int socket)
{
    const protocol_hello hello = {.magic = PROTOCOL_MAGIC, .info = {.kind = "cpu"}};
    (void)!send(socket, &hello, sizeof hello, 0);
}

/* Wait for a message and take the descriptor that came with it, or -1. */
static int take_message(int socket)
{
    static char bytes[65536];
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int descriptor = -1;
    if (recvmsg(socket, &message, 0) > 0 && CMSG_FIRSTHDR(&message))
        memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static void answer(int socket, uint32_t magic, int32_t done, const char *message)
{
    protocol_answer a = {.magic = magic, .done = done};
    snprintf(a.message, sizeof a.message, "%s", message);
    (void)!send(socket, &a, sizeof a, 0);
}

/* A process that behaves as `act`, adopted. */
static assay_status adopt(void (*act)(int socket), double limit_s, worker **w, assay_error *error)
{
    int sockets[2], output[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    assert_int_equal(pipe(output), 0);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        close(sockets[0]);
        close(output[0]);
        dup2(output[1], STDOUT_FILENO);
        dup2(output[1], STDERR_FILENO);
        act(sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    close(output[1]);
    return worker_adopt(pid, sockets[0], output[0], limit_s, w, error);
}

/* Its end at the first step that it is asked for. */
static void ends(void (*act)(int socket), double limit_s, worker_end end, const char *reason)
{
    worker *w;
    assay_error error = {0};
    assert_int_equal(adopt(act, 10, &w, NULL), ASSAY_OK);
    worker_begin(w, limit_s);
    worker_name_step(w, "small", "first contents");
    assert_int_equal(worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, NULL), ASSAY_OK);
    assert_int_equal(worker_flush(w, &error), ASSAY_ERR_DEVICE);
    assert_true(worker_lost(w));
    assert_int_equal(worker_how_ended(w), end);
    if (!strstr(worker_reason(w), reason))
        fail_msg("expected \"%s\" in: %s", reason, worker_reason(w));
    assert_string_equal(worker_reason(w), error.message);
    assert_int_equal(worker_flush(w, NULL), ASSAY_ERR_DEVICE); /* and so it stays */
    worker_close(w);
}

static void crashes(int socket)
{
    greet(socket);
    take_message(socket);
    fprintf(stderr, "noise\nassay-simt: error: out of bounds\nhint\n");
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void leaves(int socket)
{
    greet(socket);
    take_message(socket);
    _exit(7);
}

static void hangs(int socket)
{
    greet(socket);
    for (;;)
        pause();
}

/* Deaf to what can be ignored, and with a child that holds the pipe and the socket. */
static void hangs_up_and_stays(int socket)
{
    signal(SIGTERM, SIG_IGN);
    greet(socket);
    take_message(socket);
    if (fork() == 0)
        for (;;)
            pause();
    shutdown(socket, SHUT_RDWR);
    for (;;)
        pause();
}

static void how_a_worker_ends_is_told(void **state)
{
    ends(crashes, 10, WORKER_CRASHED,
         "killed by signal 11 (Segmentation fault) in small, first contents: assay-simt: error: out of "
         "bounds");
    ends(leaves, 10, WORKER_CRASHED, "exited with status 7 in small, first contents");
    ends(hangs, 0.2, WORKER_TIMED_OUT, "timed out after 0 s in small, first contents");
    ends(hangs_up_and_stays, 10, WORKER_CRASHED, "killed by signal 9 (Killed) in small, first contents");
}

static void takes_its_time(int socket)
{
    greet(socket);
    for (;;) {
        take_message(socket);
        usleep(300000);
        answer(socket, PROTOCOL_MAGIC, 1, "");
    }
}

/* The limit is for a problem, not for all of a case. */
static void each_problem_has_its_time(void **state)
{
    for (int each = 0; each < 2; each++) {
        worker *w;
        assert_int_equal(adopt(takes_its_time, 10, &w, NULL), ASSAY_OK);
        worker_begin(w, 0.5);
        for (int i = 0; i < 2; i++) {
            if (each)
                worker_begin_problem(w);
            assert_int_equal(worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, NULL), ASSAY_OK);
            assert_int_equal(worker_flush(w, NULL), i == 0 || each ? ASSAY_OK : ASSAY_ERR_DEVICE);
        }
        assert_int_equal(worker_lost(w), !each);
        worker_close(w);
    }
}

static void answers_to_nobody(int socket)
{
    greet(socket);
    take_message(socket);
    answer(socket, 1, 1, "");
}

static void answers_too_much(int socket)
{
    greet(socket);
    take_message(socket);
    answer(socket, PROTOCOL_MAGIC, 1000, "");
}

static void answers_in_part(int socket)
{
    greet(socket);
    take_message(socket);
    (void)!send(socket, "pass", 4, 0);
}

static void a_worker_that_breaks_the_protocol_is_lost(void **state)
{
    ends(answers_to_nobody, 10, WORKER_CRASHED, "in small, first contents");
    ends(answers_too_much, 10, WORKER_CRASHED, "in small, first contents");
    ends(answers_in_part, 10, WORKER_CRASHED, "in small, first contents");
}

static void says_it_is_wrong(int socket)
{
    protocol_answer a = {.magic = PROTOCOL_MAGIC, .status = ASSAY_ERR_UNSUPPORTED};
    greet(socket);
    memset(a.message, 0xff, sizeof a.message); /* neither UTF-8 nor ended */
    for (int i = 0; i < 2; i++) {
        take_message(socket);
        (void)!send(socket, &a, sizeof a, 0);
        a.status = 4711;
    }
    take_message(socket);
}

static void a_failed_step_is_no_verdict(void **state)
{
    worker *w;
    assert_int_equal(adopt(says_it_is_wrong, 10, &w, NULL), ASSAY_OK);
    for (int i = 0; i < 2; i++) {
        assay_error error = {0};
        worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, NULL);
        assert_int_equal(worker_flush(w, &error), ASSAY_ERR_DEVICE);
        assert_int_equal(worker_failed_step(w), STEP_SYNC_ALL);
        assert_int_equal(error.message[0], '?');
        assert_false(worker_lost(w));
    }
    worker_close(w);
}

static void says_it_has_no_device(int socket)
{
    protocol_hello hello = {
        .magic = PROTOCOL_MAGIC, .status = ASSAY_ERR_ENVIRONMENT, .message = "no GPU here"};
    (void)!send(socket, &hello, sizeof hello, 0);
    take_message(socket);
}

static void ends_at_once(int socket)
{
    printf("cannot start\n");
    fflush(stdout);
    _exit(3);
}

static void what_does_not_start_is_the_environments(void **state)
{
    worker *w;
    assay_error error = {0};
    assert_int_equal(adopt(says_it_has_no_device, 10, &w, &error), ASSAY_ERR_ENVIRONMENT);
    assert_string_equal(error.message, "no GPU here");
    assert_null(w);
    error = (assay_error){0};
    assert_int_equal(adopt(ends_at_once, 10, &w, &error), ASSAY_ERR_ENVIRONMENT);
    assert_string_equal(error.message, "exited with status 3: cannot start");
    assert_int_equal(adopt(hangs, 10, &w, NULL), ASSAY_OK); /* it greets */
    worker_close(w);
}

static void tries_to_shorten(int socket)
{
    greet(socket);
    const int memory = take_message(socket);
    const int shortened = ftruncate(memory, 0) == 0 || errno != EPERM;
    char *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (!shortened && shared != MAP_FAILED)
        memcpy(shared + 5000, shared, 6);
    answer(socket, PROTOCOL_MAGIC, 1, "");
    take_message(socket);
}

static void shared_memory_is_shared_and_keeps_its_size(void **state)
{
    worker *w;
    assert_int_equal(adopt(tries_to_shorten, 10, &w, NULL), ASSAY_OK);
    assert_int_equal(worker_share(w, 8192, NULL), ASSAY_OK);
    memcpy(worker_shared(w), "bytes", 6);
    assert_int_equal(worker_flush(w, NULL), ASSAY_OK);
    assert_string_equal((const char *)worker_shared(w) + 5000, "bytes");
    worker_close(w);
}

static void talks_without_end(int socket)
{
    static char line[4097];
    greet(socket);
    take_message(socket);
    memset(line, 'x', 4096);
    line[4095] = '\n';
    for (int i = 0; i < 2000; i++)
        fputs(line, stdout);
    printf("the last line\n");
    fflush(stdout);
    answer(socket, PROTOCOL_MAGIC, 1, "");
    take_message(socket);
}

static void a_talker_is_heard_to_the_end(void **state)
{
    worker *w;
    assert_int_equal(adopt(talks_without_end, 10, &w, NULL), ASSAY_OK);
    worker_begin(w, 60);
    worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, NULL);
    assert_int_equal(worker_flush(w, NULL), ASSAY_OK);
    worker_stop(w, 1);
    const char *said = worker_output(w);
    assert_true(strlen(said) <= 65536);
    assert_non_null(strstr(said, "the last line"));
    worker_close(w);
}

static void last_words_prefer_reports(void **state)
{
    char line[128];
    worker_last_words("noise\nassay-simt: error: out of bounds\nhint\n", line, sizeof line);
    assert_string_equal(line, "assay-simt: error: out of bounds");
    worker_last_words("==1==ERROR: AddressSanitizer: heap-buffer-overflow\n  #0 frame\n==1==ABORTING\n", line,
                      sizeof line);
    assert_string_equal(line, "==1==ERROR: AddressSanitizer: heap-buffer-overflow");
    worker_last_words("first\nlast \x1b[31mwithout newline", line, sizeof line);
    assert_string_equal(line, "last  [31mwithout newline");
    worker_last_words(NULL, line, sizeof line);
    assert_string_equal(line, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_a_worker_ends_is_told),
        cmocka_unit_test(each_problem_has_its_time),
        cmocka_unit_test(a_worker_that_breaks_the_protocol_is_lost),
        cmocka_unit_test(a_failed_step_is_no_verdict),
        cmocka_unit_test(what_does_not_start_is_the_environments),
        cmocka_unit_test(shared_memory_is_shared_and_keeps_its_size),
        cmocka_unit_test(a_talker_is_heard_to_the_end),
        cmocka_unit_test(last_words_prefer_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
