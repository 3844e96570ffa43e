/* Reader of ncu's source page. See ncu_read.h.
 *
 * A page has, for each kernel, a row "Kernel Name"; for each file a row "File Name"; and a table whose head begins with "Line No" (view of
 * the source, with "Address" beside it also of its instructions) or with "Address" (instructions alone). */
#include "profile/csv.h"
#include "profile/ncu_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ncu's short names of the stall reasons in this page. */
static const struct {
    const char *column;
    metric_id stall;
} stall_columns[] = {
    {"stall_long_sb", METRIC_STALL_LONG_SCOREBOARD},
    {"stall_short_sb", METRIC_STALL_SHORT_SCOREBOARD},
    {"stall_barrier", METRIC_STALL_BARRIER},
    {"stall_membar", METRIC_STALL_MEMBAR},
    {"stall_lg", METRIC_STALL_LG_THROTTLE},
    {"stall_mio", METRIC_STALL_MIO_THROTTLE},
    {"stall_tex", METRIC_STALL_TEX_THROTTLE},
    {"stall_math", METRIC_STALL_MATH_PIPE_THROTTLE},
    {"stall_gmma", METRIC_STALL_GMMA},
    {"stall_wait", METRIC_STALL_WAIT},
    {"stall_not_selected", METRIC_STALL_NOT_SELECTED},
    {"stall_selected", METRIC_STALL_SELECTED},
    {"stall_no_inst", METRIC_STALL_NO_INSTRUCTION},
    {"stall_imc", METRIC_STALL_IMC_MISS},
    {"stall_branch_resolve", METRIC_STALL_BRANCH_RESOLVING},
    {"stall_dispatch", METRIC_STALL_DISPATCH},
    {"stall_drain", METRIC_STALL_DRAIN},
    {"stall_sleep", METRIC_STALL_SLEEPING},
    {"stall_misc", METRIC_STALL_MISC},
};
enum { STALL_COLUMNS = sizeof stall_columns / sizeof *stall_columns };

typedef struct columns {
    int count, line, address, source, samples, instructions, sectors, wavefronts, local, divergent;
    int stalls[STALL_COLUMNS];
} columns;

static int find_column(const csv_record *header, const char *name)
{
    for (int i = 0; i < header->count; i++)
        if (strcmp(header->fields[i], name) == 0)
            return i;
    return -1;
}

static void read_header(const csv_record *header, columns *where)
{
    where->count = header->count;
    where->line = find_column(header, "Line No");
    where->address = find_column(header, "Address");
    where->source = find_column(header, "Source");
    where->samples = find_column(header, "Warp Stall Sampling (All Samples)");
    if (where->samples < 0)
        where->samples = find_column(header, "# Samples");
    where->instructions = find_column(header, "Instructions Executed");
    where->sectors = find_column(header, "L2 Theoretical Sectors Global Excessive");
    where->wavefronts = find_column(header, "L1 Wavefronts Shared Excessive");
    where->local = find_column(header, "L2 Theoretical Sectors Local");
    where->divergent = find_column(header, "Divergent Branches");
    for (int i = 0; i < STALL_COLUMNS; i++)
        where->stalls[i] = find_column(header, stall_columns[i].column);
}

static double number(const csv_record *record, int column)
{
    const double value =
        column >= 0 && column < record->count ? ncu_read_number(record->fields[column], 0) : NAN;
    return value > 0.0 ? value : 0.0;
}

static int is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Add a row to its line. In the view of both, instructions repeat what their line's row says, and are passed over. */
static int read_row(const csv_record *record, const columns *where, const char *file, profiled_kernel *kernel)
{
    const int of_line = where->line >= 0 && is_number(record->fields[where->line]);
    if (!of_line && (where->line >= 0 || strncmp(record->fields[where->address], "0x", 2) != 0))
        return 1;
    const char *text = where->source >= 0 ? record->fields[where->source] : "";
    text += strspn(text, " \t");
    const double samples = number(record, where->samples), instructions = number(record, where->instructions);
    if (samples <= 0.0 && instructions <= 0.0)
        return 1;
    const int at = of_line ? (int)strtol(record->fields[where->line], NULL, 10) : -kernel->line_count - 1;
    profile_line *line = profiled_kernel_line(kernel, of_line ? file : "", at, text);
    if (!line)
        return kernel->line_count >= PROFILE_MOST_LINES;
    line->origin = METRIC_PROFILED;
    line->samples += samples;
    line->instructions += instructions;
    line->excess_sectors += number(record, where->sectors);
    line->excess_wavefronts += number(record, where->wavefronts);
    line->local_sectors += number(record, where->local);
    line->divergent += number(record, where->divergent);
    for (int i = 0; i < STALL_COLUMNS; i++)
        line->stalls[stall_columns[i].stall - FIRST_STALL] += number(record, where->stalls[i]);
    return 1;
}

static profiled_kernel *nth_kernel(launch_profile *profile, int index)
{
    return index < profile->count ? &profile->kernels[index] : NULL;
}

assay_status ncu_read_source(const char *text, launch_profile *profile, assay_error *error)
{
    csv_record record = {0};
    columns where = {.line = -1, .address = -1};
    char *file = NULL;
    int kernels = 0, right = 1;
    profiled_kernel *kernel = nth_kernel(profile, 0);
    for (const char *at = text, *next; right && *at; at = next) {
        const size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        if (*at != '"')
            continue;
        next = csv_next(at, &record);
        if (!next) {
            right = 0;
        } else if (strcmp(record.fields[0], "Kernel Name") == 0) {
            kernel = nth_kernel(profile, kernels++);
        } else if (strcmp(record.fields[0], "File Name") == 0 || strcmp(record.fields[0], "File Path") == 0) {
            free(file);
            right = (file = strdup(record.count > 1 ? record.fields[1] : "")) != NULL;
        } else if (strcmp(record.fields[0], "Line No") == 0 || strcmp(record.fields[0], "#") == 0 ||
                   strcmp(record.fields[0], "Address") == 0) {
            read_header(&record, &where);
        } else if (kernel && where.samples >= 0 && record.count == where.count)
            right = read_row(&record, &where, file ? file : "", kernel);
    }
    free(file);
    csv_release(&record);
    return right ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for ncu's source page");
}
