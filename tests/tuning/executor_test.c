/* Job arrays of Slurm without a Slurm: the script, what squeue and sacct print; and joining results folders. */
#include "core/json_file.h"
#include "tune/executor/join.h"
#include "tune/executor/slurm.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_script_has_the_open_tasks(void **state)
{
    (void)state;
    static const char *const first[] = {"tune", "it's", NULL}, *const second[] = {"tune", "a b", NULL};
    const slurm_task tasks[] = {{first, 1}, {second, 0}, {second, 1}};
    const slurm_job job = {"/jobs/a b", "/bin/assay", NULL, tasks, 3};
    char *text = NULL;
    assert_int_equal(slurm_script(&job, &text, NULL), ASSAY_OK);
    assert_non_null(strstr(text, "\n#SBATCH --array=0,2\n"));
    assert_non_null(strstr(text, "\n#SBATCH --requeue\n"));
    assert_non_null(strstr(text, "\n#SBATCH --output=\"/jobs/a b/%a/log.txt\"\n"));
    assert_non_null(strstr(text, "\n0) set -- 'tune' 'it'\\''s' ;;\n"));
    assert_non_null(strstr(text, "\nfolder='/jobs/a b'/$SLURM_ARRAY_TASK_ID\n"));
    free(text);
}

static void a_folder_that_slurm_cannot_name_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"/jobs/100%", "/jobs/\"a\"", "/jobs/a\nb", "/jobs/a\\b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const slurm_job job = {names[i], "/bin/assay", NULL, NULL, 0};
        assay_error error = {0};
        char *text;
        assert_int_equal(slurm_script(&job, &text, &error), ASSAY_ERR_INVALID);
        assert_non_null(strstr(error.message, "Slurm cannot write into"));
        assert_null(text);
    }
}

static void lines_of_slurm_are_states_of_tasks(void **state)
{
    (void)state;
    slurm_task_state s[4] = {0};
    slurm_take_line("0|RUNNING\n1|PENDING", s, 4);
    slurm_take_line("1|PENDING\n", s, 4);
    slurm_take_line("17_2|CANCELLED by 1000\n", s, 4);
    slurm_take_line("17_[3]|PENDING", s, 4);
    slurm_take_line("N/A|PENDING", s, 4);
    slurm_take_line("4|RUNNING", s, 4);
    slurm_take_line("-1|RUNNING", s, 4);
    slurm_take_line("3", s, 4);
    slurm_take_line("3|", s, 4);
    slurm_take_line("", s, 4);
    assert_int_equal(s[0].phase, SLURM_RUNNING);
    assert_int_equal(s[1].phase, SLURM_PENDING);
    assert_int_equal(s[2].phase, SLURM_ENDED);
    assert_string_equal(s[2].state, "CANCELLED");
    assert_int_equal(s[3].phase, SLURM_GONE);
    slurm_take_line("0|REQUEUED", s, 4);
    assert_int_equal(s[0].phase, SLURM_PENDING);
    slurm_take_line("0|TIMEOUT", s, 4);
    assert_int_equal(s[0].phase, SLURM_ENDED);
    assert_string_equal(s[0].state, "TIMEOUT");
}

static void write_at(const char *folder, const char *name, const char *text, long seconds)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    const struct timespec times[] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void expect_text(const char *folder, const char *name, const char *expected)
{
    char path[300], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(text_file_read(path, &text, NULL, NULL), ASSAY_OK);
    assert_string_equal(text, expected);
    free(text);
}

static void the_newer_result_stays(void **state)
{
    (void)state;
    char work[] = "/tmp/assay-join-XXXXXX", from[64], into[64], command[100];
    join_counts n;
    assay_error error = {0};
    assert_non_null(mkdtemp(work));
    snprintf(from, sizeof from, "%s/from", work);
    snprintf(into, sizeof into, "%s/into", work);
    assert_int_equal(join_results(from, into, &n, &error), ASSAY_ERR_INVALID);
    write_at(from, "card/bench/old.json", "{\"theirs\": 1}", 1000);
    write_at(from, "card/bench/new.json", "{\"theirs\": 2}", 3000);
    write_at(from, "card/verify/only.json", "{\"theirs\": 3}", 1000);
    write_at(from, "card/notes.txt", "no result", 3000);
    write_at(into, "card/bench/old.json", "{\"ours\": 1}", 2000);
    write_at(into, "card/bench/new.json", "{\"ours\": 2}", 2000);
    assert_int_equal(join_results(from, into, &n, &error), ASSAY_OK);
    assert_int_equal(n.files_added, 2);
    assert_int_equal(n.files_known, 1);
    expect_text(into, "card/bench/old.json", "{\"ours\": 1}");
    expect_text(into, "card/bench/new.json", "{\"theirs\": 2}");
    expect_text(into, "card/verify/only.json", "{\"theirs\": 3}");
    assert_int_equal(join_results(from, into, &n, &error), ASSAY_OK); /* again, nothing */
    assert_int_equal(n.files_added, 0);
    assert_int_equal(n.files_known, 3);
    snprintf(command, sizeof command, "rm -rf %s", work);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_script_has_the_open_tasks),
        cmocka_unit_test(a_folder_that_slurm_cannot_name_is_refused),
        cmocka_unit_test(lines_of_slurm_are_states_of_tasks),
        cmocka_unit_test(the_newer_result_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
