/* Strict JSON files: what is refused, and that a failed write leaves the old file as it was. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "core/output_folder.h"
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[256], path[400];

static int setup(void **state)
{
    make_folder(folder);
    snprintf(path, sizeof path, "%s/file.json", folder);
    return 0;
}

static int teardown(void **state)
{
    remove_folder(folder);
    return 0;
}

static void reads_what_it_wrote(void **state)
{
    json_t *value = json_pack("{s:i, s:o, s:o}", "a", 1, "b", json_number(0.1), "c", json_number(NAN)), *back;
    assert_int_equal(json_file_write(path, value, 0, NULL), ASSAY_OK);
    assert_int_equal(json_file_read(path, &back, NULL), ASSAY_OK);
    assert_true(json_get_number(back, "b", 0) == 0.1);
    assert_true(json_is_null(json_object_get(back, "c"))); /* NaN has no form in strict JSON */
    json_decref(value);
    json_decref(back);
}

static void creates_missing_folders(void **state)
{
    char deep[400];
    snprintf(deep, sizeof deep, "%s/x/y/z/file.txt", folder);
    assert_int_equal(text_file_write(deep, "hi", 2, NULL), ASSAY_OK);
    char *text;
    size_t bytes;
    assert_int_equal(text_file_read(deep, &text, &bytes, NULL), ASSAY_OK);
    assert_int_equal(bytes, 2);
    assert_string_equal(text, "hi");
    free(text);
}

static void writes_a_pipe_in_place(void **state)
{
    char pipe_path[400], got[8] = "";
    struct stat info;
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    const int reader = open(pipe_path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(text_file_write(pipe_path, "hello", 5, NULL), ASSAY_OK);
    assert_int_equal(read(reader, got, sizeof got), 5);
    assert_string_equal(got, "hello");
    close(reader);
    assert_int_equal(stat(pipe_path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode)); /* and no file has taken its name, as one would that of /dev/null */
}

static void says_what_a_path_is_not(void **state)
{
    assay_error of_read = {0}, of_write = {0};
    char *text;
    assert_int_equal(text_file_read(folder, &text, NULL, &of_read), ASSAY_ERR_IO);
    assert_non_null(strstr(of_read.message, "Is a directory"));
    assert_int_equal(text_file_write("", "x", 1, &of_write), ASSAY_ERR_INVALID);
    assert_non_null(strstr(of_write.message, "empty"));
}

static void refuses(const char *text, assay_status expected, const char *part)
{
    assay_error error = {0};
    json_t *value;
    write_text(folder, "file.json", text);
    assert_int_equal(json_file_read(path, &value, &error), expected);
    assert_non_null(strstr(error.message, part));
    assert_non_null(strstr(error.message, "file.json"));
}

static void refuses_broken_files(void **state)
{
    refuses("", ASSAY_ERR_FORMAT, "not valid JSON");
    refuses("{\"a\": 1", ASSAY_ERR_FORMAT, "not valid JSON");
    refuses("{\"a\": NaN}", ASSAY_ERR_FORMAT, "not valid JSON");
    refuses("{\"a\": Infinity}", ASSAY_ERR_FORMAT, "not valid JSON");
    refuses("{\"a\": 1, \"a\": 2}", ASSAY_ERR_FORMAT, "duplicate");
    refuses("[1, 2]", ASSAY_ERR_FORMAT, "object");
}

static void says_when_a_file_is_missing(void **state)
{
    assay_error error = {0};
    json_t *value;
    snprintf(path, sizeof path, "%s/none.json", folder);
    assert_int_equal(json_file_read(path, &value, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "none.json"));
}

/* A full disk, played by a file size limit: the write fails, the old content stays, nothing temporary is left. */
static void full_disk_keeps_the_old_file(void **state)
{
    static char big[200000];
    memset(big, 'x', sizeof big);
    assert_int_equal(text_file_write(path, "old", 3, NULL), ASSAY_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
    assay_error error = {0};
    const assay_status status = text_file_write(path, big, sizeof big, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "unchanged"));
    char *text, command[300];
    assert_int_equal(text_file_read(path, &text, NULL, NULL), ASSAY_OK);
    assert_string_equal(text, "old");
    free(text);
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = 1", folder);
    assert_int_equal(system(command), 0);
}

static void unwritable_folder_is_an_io_error(void **state)
{
    assay_error error = {0};
    assert_int_equal(text_file_write("/proc/assay/none.json", "x", 1, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/proc/assay"));
    assert_int_equal(assay_status_exit(error.status), ASSAY_EXIT_ENVIRONMENT);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_full_disk_is_found_before_the_work(void **state)
{
    assay_error error = {0};
    char place[300], command[400];
    snprintf(place, sizeof place, "%s/new/results", folder);
    assert_int_equal(output_folder_prepare(place, &error), ASSAY_OK);
    limit_files(4096);
    const assay_status status = output_folder_prepare(place, &error);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, place));
    snprintf(command, sizeof command, "test -z \"$(ls -A %s)\"", place); /* nothing is left of the trial */
    assert_int_equal(system(command), 0);
    error = (assay_error){0};
    assert_int_equal(output_folder_prepare("/proc/assay", &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/proc/assay"));
}

/* The number of a process that has ended. */
static long dead_process(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return (long)child;
}

static void only_files_of_dead_processes_are_swept(void **state)
{
    const long dead = dead_process(), own = (long)getpid();
    const struct {
        const char *format;
        long pid;
        int age_s, stays;
    } rows[] = {
        {"a.json.tmp.%ld", dead, 60, 0},
        {"a.json.0123456789abcdef.%ld.part", dead, 60, 0},
        {"a.json.0123456789abcdef.1.part.tmp.%ld", dead, 60, 0},
        {"young.json.tmp.%ld", dead, 0, 1},
        {"a.json.tmp.%ld", own, 60, 1},
        {"a.json.%ld.part", own, 60, 1},
        {"a.%ld.json", dead, 60, 1},
        {"a.json.%ld", dead, 60, 1},
        {"%ld.part", dead, 60, 1},
        {"a.json.tmp.%ldx", dead, 60, 1},
    };
    char name[100];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(name, sizeof name, rows[i].format, rows[i].pid);
        write_text(folder, name, "x");
        snprintf(path, sizeof path, "%s/%s", folder, name);
        const struct timeval then = {.tv_sec = time(NULL) - rows[i].age_s};
        assert_int_equal(utimes(path, (const struct timeval[]){then, then}), 0);
    }
    assert_int_equal(output_folder_sweep(folder), 3);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(name, sizeof name, rows[i].format, rows[i].pid);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if ((access(path, F_OK) == 0) != rows[i].stays)
            fail_msg("%s", name);
    }
    assert_int_equal(output_folder_sweep("/nonexistent"), 0);
}

static void first_error_wins(void **state)
{
    assay_error error = {0};
    assay_error_set(&error, ASSAY_ERR_INVALID, "first\nline");
    assay_error_set(&error, ASSAY_ERR_IO, "second");
    assert_int_equal(error.status, ASSAY_ERR_INVALID);
    assert_string_equal(error.message, "first line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_it_wrote, setup, teardown),
        cmocka_unit_test_setup_teardown(creates_missing_folders, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_a_pipe_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_a_path_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_broken_files, setup, teardown),
        cmocka_unit_test_setup_teardown(says_when_a_file_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(full_disk_keeps_the_old_file, setup, teardown),
        cmocka_unit_test(unwritable_folder_is_an_io_error),
        cmocka_unit_test_setup_teardown(a_full_disk_is_found_before_the_work, setup, teardown),
        cmocka_unit_test_setup_teardown(only_files_of_dead_processes_are_swept, setup, teardown),
        cmocka_unit_test(first_error_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
