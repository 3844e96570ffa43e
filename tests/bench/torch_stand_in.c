/* See torch_stand_in.h. */
#include "tests/unit.h"
#include "torch_stand_in.h"
#include "core/json_file.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char stand_in_python[] = "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nexec python3 \"$@\"\n";
static const char importing_text[] =
    "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nat=$(dirname \"$0\")\necho $$ > \"$at/pid.new\"\n"
    "mv \"$at/pid.new\" \"$at/pid\"\nexec sleep 60\n";

void stand_in_write(const workspace *ws, const char *name, const char *text, char path[256])
{
    snprintf(path, 256, "%s/%s", ws->source, name);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    assert_int_equal(chmod(path, 0755), 0);
}

void stand_in_open(workspace *ws, const char *script)
{
    char folder[256], path[256];
    make_folder(folder);
    snprintf(ws->source, sizeof ws->source, "%s", folder);
    snprintf(ws->results, sizeof ws->results, "%s/results/card", folder);
    stand_in_write(ws, "bench/baselines/torch/torch_baseline.py", script, path);
}

void stand_in_close(const workspace *ws)
{
    remove_folder(ws->source);
}

int is_alive(int pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    return line[0] != '\0' && !strstr(line, ") Z");
}

static int wait_for_number(const char *path)
{
    int number = 0;
    for (int i = 0; i < 1000 && access(path, R_OK) != 0; i++)
        usleep(10000);
    FILE *file = fopen(path, "r");
    if (file) {
        (void)!fscanf(file, "%d", &number);
        fclose(file);
    }
    return number;
}

void ends_with_the_killed(const workspace *ws, void (*begin)(const workspace *ws, const char *python))
{
    char importing[256], path[256];
    stand_in_write(ws, "importing", importing_text, importing);
    snprintf(path, sizeof path, "%.200s/pid", ws->source);
    fflush(NULL);
    const pid_t command = fork();
    assert_true(command >= 0);
    if (command == 0) {
        begin(ws, importing);
        pause();
        _exit(0);
    }
    const int started = wait_for_number(path), began = started > 0 && is_alive(started);
    kill(command, SIGKILL);
    waitpid(command, NULL, 0);
    assert_true(began);
    for (int i = 0; i < 500 && is_alive(started); i++)
        usleep(10000);
    assert_false(is_alive(started));
}
