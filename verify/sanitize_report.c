/* Reading compute-sanitizer's lines, which begin with nine equal signs; see sanitize_report.h. */
#include "verify/sanitize_report.h"
#include <stdio.h>
#include <string.h>

#define MARK "========= "

/* Lines of the tool that are no report. */
static int is_frame(const char *text)
{
    static const char *const starts[] = {"COMPUTE-SANITIZER",
                                         "ERROR SUMMARY",
                                         "RACECHECK SUMMARY",
                                         "LEAK SUMMARY",
                                         "Target application returned an error",
                                         "Error: process didn't terminate",
                                         "ERROR SUMMARY",
                                         "Warning: ",
                                         "        "};
    /* racecheck's warnings are reports, other warnings are about the tool itself */
    if (strncmp(text, "Warning: Race", 13) == 0 || strncmp(text, "Warning: Potential", 18) == 0)
        return 0;
    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return 1;
    return text[0] == '\0' || text[0] == ' ';
}

static void read_summary(const char *text, sanitize_report *report)
{
    int count = 0;
    if (sscanf(text, "ERROR SUMMARY: %d", &count) == 1 ||
        sscanf(text, "RACECHECK SUMMARY: %d", &count) == 1) {
        report->found = 1;
        report->errors = count;
    }
}

void sanitize_read_report(const char *output, sanitize_report *report)
{
    char step[160] = "";
    int wants_place = 0; /* the last line was the first report's first: the next says where */
    *report = (sanitize_report){0};
    for (const char *at = output ? output : ""; *at;) {
        const size_t length = strcspn(at, "\n"), mark = strlen(MARK);
        char line[300];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
        at += length + (at[length] == '\n');
        if (strncmp(line, "step: ", 6) == 0)
            snprintf(step, sizeof step, "%.150s", line + 6);
        if (strncmp(line, MARK, mark) != 0)
            continue;
        const char *text = line + mark;
        read_summary(text, report);
        if (wants_place && text[0] == ' ') {
            const size_t used = strlen(report->first);
            snprintf(report->first + used, sizeof report->first - used, " %s", text + strspn(text, " "));
        }
        wants_place = 0;
        if (report->first[0] == '\0' && !is_frame(text)) {
            snprintf(report->first, sizeof report->first, "%s", text);
            memcpy(report->step, step, sizeof step);
            wants_place = 1;
        }
    }
}
