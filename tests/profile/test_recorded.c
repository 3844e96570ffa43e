/* The classifier on what ncu recorded on a card (record.sh): kernels built to have one bottleneck each, and kernels of the suite.
 *
 *   test_recorded FOLDER EXPECTED      FOLDER has NAME.raw.csv and NAME.details.csv, for some NAME.source.csv, and below suite/ those of
 *                                      the suite */
#include "tests/unit.h"
#include "core/json_file.h"
#include "profile/classify.h"
#include "profile/ncu_read.h"
#include <glob.h>
#include <math.h>
#include <unistd.h>

enum { MOST_REPORTS = 64, FEWEST_KINDS = 12 };
static const char *folder, *expected_path;

typedef struct recording {
    int count;
    launch_profile reports[MOST_REPORTS];
    char names[MOST_REPORTS][256];
} recording;

static void read_page(const char *path, launch_profile *into)
{
    char *text = NULL;
    size_t bytes;
    assay_error error = {0};
    assert_int_equal(text_file_read(path, &text, &bytes, &error), ASSAY_OK);
    if (ncu_read_page(text, into, &error) != ASSAY_OK)
        fail_msg("%s: %s", path, error.message);
    free(text);
}

/* Where there is one. */
static void read_source(const char *path, launch_profile *into)
{
    char *text = NULL;
    size_t bytes;
    if (access(path, R_OK) != 0)
        return;
    assert_int_equal(text_file_read(path, &text, &bytes, NULL), ASSAY_OK);
    assert_int_equal(ncu_read_source(text, into, NULL), ASSAY_OK);
    free(text);
}

/* `below` is "" for the test kernels, "suite/" for the suite's. */
static void read_all(const char *below, recording *r)
{
    char pattern[4400], path[4400];
    glob_t paths;
    memset(r, 0, sizeof *r);
    snprintf(pattern, sizeof pattern, "%s/%s*.raw.csv", folder, below);
    assert_int_equal(glob(pattern, 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc && r->count < MOST_REPORTS; i++) {
        const int stem = (int)(strlen(paths.gl_pathv[i]) - strlen(".raw.csv"));
        const char *name = strrchr(paths.gl_pathv[i], '/') + 1;
        snprintf(r->names[r->count], sizeof r->names[0], "%.*s", (int)(strlen(name) - strlen(".raw.csv")),
                 name);
        read_page(paths.gl_pathv[i], &r->reports[r->count]);
        snprintf(path, sizeof path, "%.*s.details.csv", stem, paths.gl_pathv[i]);
        read_page(path, &r->reports[r->count]);
        snprintf(path, sizeof path, "%.*s.source.csv", stem, paths.gl_pathv[i]);
        read_source(path, &r->reports[r->count]);
        r->count++;
    }
    globfree(&paths);
}

static void release_all(recording *r)
{
    for (int i = 0; i < r->count; i++)
        launch_profile_release(&r->reports[i]);
}

static const profiled_kernel *find_kernel(const recording *r, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->reports[i].count; k++) {
            const char *at = r->reports[i].kernels[k].name;
            at += strncmp(at, "void ", 5) == 0 ? 5 : 0;
            if (strncmp(at, name, length) == 0 && (at[length] == '(' || at[length] == '\0'))
                return &r->reports[i].kernels[k];
        }
    return NULL;
}

static int has_gate(const bottleneck *verdict, const char *key)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (strcmp(verdict->findings[i].rule->key, key) == 0)
            return 1;
    return 0;
}

/* 1 if the verdict is what the kernel was built for; else a line that says what it is. */
static int is_right(const profiled_kernel *kernel, const char *kind, const char *part, const char *gate)
{
    bottleneck verdict;
    const evidence given = {kernel, NAN, NAN};
    bottleneck_classify(&given, &verdict);
    const int right = strcmp(bottleneck_name(verdict.kind), kind) == 0 &&
                      (*part == '-' || strstr(verdict.part, part)) &&
                      (*gate == '-' || has_gate(&verdict, gate));
    printf("%s %-22.22s %s (%s) %.2f: %s; %s\n", right ? "right" : "WRONG", kernel->name,
           bottleneck_name(verdict.kind), verdict.part, verdict.confidence, verdict.numbers, verdict.why);
    for (int i = 0; !right && i < verdict.finding_count; i++)
        printf("      %s %.2f: %s\n", verdict.findings[i].rule->key, verdict.findings[i].severity,
               verdict.findings[i].numbers);
    return right;
}

static void kinds_are_told_apart(void **state)
{
    static recording r;
    char line[512], name[128], kind[64], part[64], gate[64];
    int right = 0, all = 0;
    FILE *file = fopen(expected_path, "r");
    assert_non_null(file);
    read_all("", &r);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || sscanf(line, "%127s %63s %63s %63s", name, kind, part, gate) != 4)
            continue;
        const profiled_kernel *kernel = find_kernel(&r, name);
        if (!kernel)
            printf("      %s is not recorded\n", name);
        right += kernel && is_right(kernel, kind, part, gate);
        all += kernel != NULL;
    }
    fclose(file);
    release_all(&r);
    assert_true(all >= FEWEST_KINDS);
    assert_int_equal(right, all);
}

/* What is recorded is named in the list, so that no kernel is passed over. */
static void all_that_is_recorded_is_expected(void **state)
{
    static recording r;
    char *list = NULL, base[256];
    size_t bytes;
    assert_int_equal(text_file_read(expected_path, &list, &bytes, NULL), ASSAY_OK);
    read_all("", &r);
    for (int i = 0; i < r.count; i++)
        for (int k = 0; k < r.reports[i].count; k++) {
            const char *name = r.reports[i].kernels[k].name;
            name += strncmp(name, "void ", 5) == 0 ? 5 : 0;
            snprintf(base, sizeof base, "\n%.*s ", (int)strcspn(name, "("), name);
            if (!strstr(list, base))
                fail_msg("no line of expected.txt for %s", name);
        }
    free(list);
    release_all(&r);
}

static const finding *find_gate(const bottleneck *verdict, const char *key)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (strcmp(verdict->findings[i].rule->key, key) == 0)
            return &verdict->findings[i];
    fail_msg("the gate %s does not hold", key);
    return NULL;
}

/* The line at fault, of kernels whose source page is there. */
static void lines_are_at_fault(void **state)
{
    static const struct {
        const char *kernel, *gate, *text;
    } cases[] = {{"copy_strided", "uncoalesced_loads", "out[i] = in[i * STRIDE];"},
                 {"bank_conflicts", "bank_conflicts", "sum += tile[lane * 32 + (step & 31)];"}};
    static recording r;
    bottleneck verdict;
    read_all("", &r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const evidence given = {find_kernel(&r, cases[i].kernel), NAN, NAN};
        assert_non_null(given.kernel);
        bottleneck_classify(&given, &verdict);
        const finding *gate = find_gate(&verdict, cases[i].gate);
        assert_non_null(gate->line);
        assert_non_null(strstr(gate->line->text, cases[i].text));
        assert_true(gate->line->line > 0 && gate->line->samples > 0.0);
    }
    release_all(&r);
}

/* Holds every kernel below `below` to ncu's own verdict; returns how many there were. */
static int agree_with_ncu(const char *below)
{
    static recording r;
    bottleneck verdict;
    int disagree = 0, all = 0;
    read_all(below, &r);
    for (int i = 0; i < r.count; i++)
        for (int k = 0; k < r.reports[i].count; k++, all++) {
            int saturated;
            const evidence given = {&r.reports[i].kernels[k], NAN, NAN};
            bottleneck_classify(&given, &verdict);
            const bottleneck_kind ncu = bottleneck_of_ncu(given.kernel, &saturated);
            const int fine =
                verdict.kind != BOTTLENECK_UNKNOWN && bottleneck_agrees(verdict.kind, ncu, saturated);
            disagree += !fine;
            printf("%s %s %.40s: %s (%s); ncu: %s%s\n", fine ? "right" : "WRONG", r.names[i],
                   given.kernel->name, bottleneck_name(verdict.kind), verdict.part, bottleneck_name(ncu),
                   saturated ? ", saturated" : "");
            assert_true(ncu != BOTTLENECK_UNKNOWN || saturated); /* its words are known */
        }
    release_all(&r);
    assert_int_equal(disagree, 0);
    return all;
}

static void kinds_agree_with_ncu(void **state)
{
    assert_true(agree_with_ncu("") >= FEWEST_KINDS);
}

static void suite_agrees_with_ncu(void **state)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/suite", folder);
    if (access(path, X_OK) != 0)
        skip(); /* not recorded */
    assert_true(agree_with_ncu("suite/") > 0);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    folder = argv[1];
    expected_path = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_told_apart),  cmocka_unit_test(all_that_is_recorded_is_expected),
        cmocka_unit_test(lines_are_at_fault),    cmocka_unit_test(kinds_agree_with_ncu),
        cmocka_unit_test(suite_agrees_with_ncu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
