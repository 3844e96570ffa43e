/* Writes the reports of both made-up result folders below a given folder, to be looked at: gallery DIR. */
#include "fixture.h"
#include "report/report.h"
#include <stdio.h>

static void fill_cpu_with_ceilings(const fixture *f)
{
    fixture_fill_cpu(f);
    fixture_ceilings(f);
}

static int write_one(const char *folder, const char *name, const char *device, void (*fill)(const fixture *))
{
    char root[400];
    fixture f;
    assay_error error = {0};
    report_summary summary;
    const report_options options = {.messages = stdout};
    snprintf(root, sizeof root, "%s/%s", folder, name);
    fixture_open(&f, root, device);
    fill(&f);
    const assay_status status = report_write(f.ws, NULL, &options, &summary, &error);
    report_table(f.ws, NULL, &summary, NULL, 0, stdout, NULL);
    if (status != ASSAY_OK)
        fprintf(stderr, "%s\n", error.message);
    report_summary_release(&summary);
    fixture_close(&f);
    return assay_status_exit(status);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: gallery DIR\n");
        return ASSAY_EXIT_USAGE;
    }
    const int cuda = write_one(argv[1], "card", "cuda", fixture_fill_card);
    const int cpu = write_one(argv[1], "cpu", "cpu", fill_cpu_with_ceilings);
    const int bare = write_one(argv[1], "cpu-no-ceilings", "cpu", fixture_fill_cpu);
    return cuda ? cuda : cpu ? cpu : bare;
}
