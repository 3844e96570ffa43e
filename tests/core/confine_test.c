/* What a confined program can still do: this program starts itself confined and tries. What the machine does not offer is not asked for. */
#include "tests/unit.h"
#include "core/confine.h"
#include "core/json_file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

/* A sanitizer reserves more addresses than a limit leaves, so verify/judge.c sets none there either. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_BYTES = 0 };
#else
enum { MEMORY_BYTES = 1 << 28 };
#endif

static char self[4096], self_folder[4096], secret[128], listed[128], scratch[128];

static void *run_thread(void *argument)
{
    return argument;
}

/* By each of the ways that the system has. */
static int start_process(const char *how)
{
    const long child = strcmp(how, "clone3") == 0  ? syscall(435, NULL, 0)
                       : strcmp(how, "clone") == 0 ? syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)
                                                   : fork();
    if (child == 0)
        _exit(0);
    return child > 0;
}

/* A process in a session of its own, which would write the file in a second. */
static void leave_process(const char *path)
{
    if (fork() == 0) {
        setsid();
        sleep(1);
        const int fd = open(path, O_WRONLY | O_CREAT, 0600);
        close(fd);
        _exit(0);
    }
}

/* Exit statuses of the program inside: 0 where what it tried was refused. */
static int inside(const char *what, const char *detail)
{
    if (strcmp(what, "read") == 0)
        return open(detail, O_RDONLY) >= 0;
    if (strcmp(what, "write") == 0)
        return open(detail, O_WRONLY | O_CREAT, 0600) >= 0;
    if (strcmp(what, "kill") == 0)
        return kill((pid_t)atoi(detail), 0) == 0;
    if (strcmp(what, "trace") == 0)
        return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
    if (strcmp(what, "exec") == 0)
        return execl("/bin/sh", "sh", "-c", "exit 1", (char *)NULL) == 0 || errno != EACCES;
    if (strcmp(what, "environment") == 0)
        return getenv(detail) != NULL;
    if (strcmp(what, "memory") == 0)
        return mmap(NULL, 1u << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    if (strcmp(what, "connect") == 0) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(detail))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return connect(socket(AF_INET, SOCK_STREAM, 0), (const struct sockaddr *)&to, sizeof to) == 0;
    }
    if (strcmp(what, "fork") == 0)
        return start_process(detail);
    if (strcmp(what, "thread") == 0) {
        pthread_t thread;
        return pthread_create(&thread, NULL, run_thread, NULL) == 0 && pthread_join(thread, NULL) == 0;
    }
    if (strcmp(what, "signal") == 0)
        raise(atoi(detail));
    if (strcmp(what, "leave") == 0)
        leave_process(detail);
    return 2;
}

/* This process confines itself and then tries; `detail` is the folder in which it may write. */
static int inside_itself(const char *detail)
{
    const char *const writable[] = {detail, NULL};
    const confine_rules rules = {.writable = writable};
    char path[4200], moved[4200];
    const unsigned measures = confine_self(&rules);
    snprintf(path, sizeof path, "%s/new", detail);
    snprintf(moved, sizeof moved, "%s/moved", detail);
    if (open(path, O_WRONLY | O_CREAT, 0600) < 0 || rename(path, moved) != 0 || unlink(moved) != 0)
        return 10; /* what is allowed must go on */
    if (!(measures & CONFINE_FILES))
        return 77;
    return inside("write", "/tmp/assay-test-confine-new") || inside("read", "/etc/shadow") ||
           inside("exec", "") || ((measures & CONFINE_CALLS) && inside("kill", "1"));
}

/* Run this program confined, as one that opens a GPU or not, and without some measures; its exit status. */
static int try_with(int gpu, unsigned without, const char *what, const char *detail, unsigned *measures)
{
    const char *const argv[] = {self, what, detail, NULL};
    const char *const readable[] = {listed, NULL};
    const process_plan plan = {.argv = argv, .input_fd = -1, .output_fd = -1};
    const confine_rules rules = {
        .readable = readable, .cpu_s = 20, .memory_bytes = MEMORY_BYTES, .gpu = gpu, .without = without};
    int status = 0, error_number = 0;
    const long pid = confine_start(&plan, &rules, measures, &error_number);
    assert_true(pid > 0);
    assert_int_equal(waitpid((pid_t)pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int try_inside(const char *what, const char *detail, unsigned *measures)
{
    return try_with(0, 0, what, detail, measures);
}

static void refused(unsigned needs, const char *what, const char *detail)
{
    unsigned measures;
    const int succeeded = try_inside(what, detail, &measures);
    if ((measures & needs) == needs && succeeded != 0)
        fail_msg("%s %s: status %d", what, detail, succeeded);
}

static void files_that_are_not_listed_are_out_of_reach(void **state)
{
    unsigned measures;
    refused(CONFINE_FILES, "read", secret);
    refused(CONFINE_FILES, "read", "/etc/shadow");
    refused(CONFINE_FILES, "write", secret);
    refused(CONFINE_FILES, "write", listed);
    refused(CONFINE_FILES, "write", "/tmp/assay-test-confine-new");
    refused(CONFINE_FILES, "exec", "");
    assert_int_equal(try_inside("read", listed, &measures), 1); /* what is listed can be read */
}

static void other_processes_are_out_of_reach(void **state)
{
    char parent[32];
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    refused(CONFINE_CALLS, "kill", parent);
    refused(CONFINE_PROCESSES, "kill", parent);
    refused(CONFINE_CALLS, "trace", "");
}

static void the_network_is_out_of_reach(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t bytes = sizeof at;
    char port[16];
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (const struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &bytes) != 0)
        skip();
    snprintf(port, sizeof port, "%d", ntohs(at.sin_port));
    refused(CONFINE_NETWORK, "connect", port);
    close(listener);
}

static void memory_has_a_limit(void **state)
{
    refused(CONFINE_MEMORY, "memory", "");
}

static void the_environment_is_cleared(void **state)
{
    unsigned measures;
    setenv("ASSAY_TEST_TOKEN", "secret", 1);
    assert_int_equal(try_inside("environment", "ASSAY_TEST_TOKEN", &measures), 0);
    assert_int_equal(try_inside("environment", "PATH", &measures), 1);
    assert_non_null(getenv("ASSAY_TEST_TOKEN")); /* here it stays */
}

static void a_kernel_starts_threads_and_no_processes(void **state)
{
    unsigned measures;
    refused(CONFINE_ALONE, "fork", "fork");
    refused(CONFINE_ALONE, "fork", "clone");
    refused(CONFINE_ALONE, "fork", "clone3");
    assert_int_equal(try_inside("thread", "", &measures), 1);
}

/* What a GPU's driver writes, and each set of measures that is tried where it does not start. */
static void a_gpu_takes_fewer_measures(void **state)
{
    unsigned all, fewer = 0;
    char shared[128];
    snprintf(shared, sizeof shared, "/dev/shm/assay-test-confine-%ld", (long)getpid());
    assert_int_equal(try_with(1, 0, "write", shared, &all), 1);
    assert_int_equal(try_with(1, 0, "write", "/proc/self/comm", &fewer), 1);
    if (all & CONFINE_PROCESSES)
        assert_int_equal(access(shared, F_OK), -1); /* it was its own */
    unlink(shared);
    refused(CONFINE_FILES, "write", shared); /* without a GPU */
    assert_int_equal(confine_gpu_steps[0], 0);
    for (int i = 0; i < CONFINE_GPU_STEPS; i++) {
        const unsigned without = confine_gpu_steps[i];
        try_with(1, without, "thread", "", &fewer);
        assert_int_equal(fewer, all & ~without);
        if (without & CONFINE_FILES)
            assert_int_equal(try_with(1, without, "read", secret, &fewer), 1);
    }
}

static confine_rules compiler_rules(const char *const *readable)
{
    static const char *const writable[] = {scratch, NULL};
    return (confine_rules){.readable = readable,
                           .writable = writable,
                           .starts_programs = 1,
                           .cpu_s = 20,
                           .memory_bytes = MEMORY_BYTES};
}

/* What is left of a compiler: a program that starts others, and one of these that would go on behind its end. */
static void what_a_program_starts_ends_with_it(void **state)
{
    unsigned measures = 0;
    char path[256];
    process_result result;
    const char *const readable[] = {self_folder, NULL};
    const confine_rules rules = compiler_rules(readable);
    snprintf(path, sizeof path, "%s/late", scratch);
    const char *const argv[] = {self, "leave", path, NULL};
    confine_run(argv, &rules, 10, &measures, &result);
    process_result_release(&result);
    if (!(measures & CONFINE_PROCESSES))
        skip();
    assert_int_equal(result.end, PROCESS_EXITED);
    sleep(2);
    assert_int_equal(access(path, F_OK), -1);
}

static int compiler_status(const char *what, const char *detail, unsigned *measures)
{
    process_result result;
    const char *const readable[] = {self_folder, NULL}, *const argv[] = {self, what, detail, NULL};
    const confine_rules rules = compiler_rules(readable);
    confine_run(argv, &rules, 10, measures, &result);
    process_result_release(&result);
    return result.end == PROCESS_EXITED ? result.code : -result.code;
}

static void a_compiler_reads_what_is_listed(void **state)
{
    unsigned measures;
    char inside_scratch[256];
    snprintf(inside_scratch, sizeof inside_scratch, "%s/new", scratch);
    assert_int_equal(compiler_status("fork", "fork", &measures), 1);
    assert_int_equal(compiler_status("write", inside_scratch, &measures), 1);
    if (!(measures & CONFINE_FILES) ||
        MEMORY_BYTES == 0) /* a sanitizer's runtime ends a program that may not read /proc with status 1 */
        skip();
    assert_int_equal(compiler_status("read", "/etc/passwd", &measures), 0);
    assert_int_equal(compiler_status("read", "/proc/self/environ", &measures), 0);
    assert_int_equal(compiler_status("read", secret, &measures), 0);
    assert_int_equal(compiler_status("write", secret, &measures), 0);
}

static void a_signal_is_told_as_one(void **state)
{
    unsigned measures;
    assert_int_equal(compiler_status("signal", "6", &measures), -6);
    assert_int_equal(compiler_status("signal", "9", &measures), -9);
}

static void a_process_can_confine_itself(void **state)
{
    char folder[] = "/tmp/assay-test-confine-XXXXXX";
    process_result result;
    assert_non_null(mkdtemp(folder));
    process_run((const char *const[]){self, "itself", folder, NULL}, 20, 1, &result);
    rmdir(folder);
    assert_int_equal(result.end, PROCESS_EXITED);
    if (result.code != 77)
        assert_int_equal(result.code, 0);
    process_result_release(&result);
}

static void measures_have_names(void **state)
{
    char line[256];
    json_t *list = confine_json(CONFINE_NETWORK | CONFINE_MEMORY);
    confine_describe(CONFINE_NETWORK | CONFINE_MEMORY, line, sizeof line);
    assert_string_equal(line, "network namespace, memory limit");
    assert_int_equal(json_array_size(list), 2);
    json_decref(list);
    confine_describe(0, line, sizeof line);
    assert_string_equal(line, "");
}

static int set_up(void **state)
{
    self[readlink("/proc/self/exe", self, sizeof self - 1)] = '\0';
    process_executable_folder(self_folder, sizeof self_folder);
    snprintf(scratch, sizeof scratch, "/tmp/assay-test-confine-%ld-scratch", (long)getpid());
    mkdir(scratch, 0700);
    snprintf(secret, sizeof secret, "/tmp/assay-test-confine-%ld-secret", (long)getpid());
    snprintf(listed, sizeof listed, "/tmp/assay-test-confine-%ld-listed", (long)getpid());
    return text_file_write(secret, "x", 1, NULL) == ASSAY_OK &&
                   text_file_write(listed, "x", 1, NULL) == ASSAY_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    unlink(secret);
    unlink(listed);
    char made[256];
    snprintf(made, sizeof made, "%s/new", scratch);
    unlink(made);
    rmdir(scratch);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_not_listed_are_out_of_reach),
        cmocka_unit_test(other_processes_are_out_of_reach),
        cmocka_unit_test(the_network_is_out_of_reach),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(the_environment_is_cleared),
        cmocka_unit_test(a_process_can_confine_itself),
        cmocka_unit_test(measures_have_names),
        cmocka_unit_test(a_gpu_takes_fewer_measures),
        cmocka_unit_test(a_kernel_starts_threads_and_no_processes),
        cmocka_unit_test(what_a_program_starts_ends_with_it),
        cmocka_unit_test(a_compiler_reads_what_is_listed),
        cmocka_unit_test(a_signal_is_told_as_one),
    };
    if (argc == 3 && strcmp(argv[1], "itself") == 0)
        return inside_itself(argv[2]);
    return argc == 3 ? inside(argv[1], argv[2]) : cmocka_run_group_tests(tests, set_up, tear_down);
}
