/* The pages of the site: which there are, logs as pages, and what hostile and missing input comes to. */
#include "site_test.h"
#include <unistd.h>

static int make_history(void **unused)
{
    return make_site_history(&(synthetic_options){.commits = 3, .ops = 4});
}

static void the_site_has_its_files(void **unused)
{
    assay_error error = {0};
    assert_int_equal(write_site(out, NULL, NULL, &error), ASSAY_OK);
    static const char *const names[] = {"index.html",        "environment.html",   "op-add.html",
                                        "op-layernorm.html", "data/site.js",       "data/overview.js",
                                        "data/op-conv2d.js", "assets/chart.js",    "assets/op.js",
                                        "assets/common.js",  "assets/overview.js", "assets/dashboard.css",
                                        "cases.html",        "assets/best.js"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = read_file(out, names[i]);
        assert_true(strlen(text) > 100);
        assert_null(strstr(text, "{{"));
        free(text);
    }
}

static void pages_of_others_stay(void **state)
{
    char other[400], index[500];
    assay_error empty = {0}, foreign = {0};
    assert_int_equal(write_site("", NULL, NULL, &empty),
                     ASSAY_ERR_INVALID); /* and not into the root folder */
    assert_non_null(strstr(empty.message, "empty"));
    snprintf(other, sizeof other, "%s/homepage", folder);
    snprintf(index, sizeof index, "%s/index.html", other);
    assert_int_equal(text_file_write(index, "<h1>My pages</h1>", 17, NULL), ASSAY_OK);
    assert_int_equal(write_site(other, NULL, NULL, &foreign), ASSAY_ERR_INVALID);
    assert_non_null(strstr(foreign.message, index));
    char *text = read_file(other, "index.html");
    assert_string_equal(text, "<h1>My pages</h1>");
    free(text);
    snprintf(index, sizeof index, "%s/data", other);
    assert_int_equal(access(index, F_OK), -1);
}

static void wrong_use_is_named(void **unused)
{
    const history_filter nothing = {.ops = "no_such_op"};
    const dashboard_options empty = {.filter = &nothing}, bad_url = {.commit_url = "javascript:alert(1)//"};
    assay_error error = {0};
    assert_int_equal(write_site(out, &empty, NULL, &error), ASSAY_ERR_INVALID);
    error = (assay_error){0};
    assert_int_equal(write_site(out, &bad_url, NULL, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "https://"));
    error = (assay_error){0};
    const char *const gone[] = {"/dev/null/logs"};
    const dashboard_options no_logs = {.reports = gone, .report_count = 1};
    assert_int_equal(write_site(out, &no_logs, NULL, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "/dev/null/logs"));
    error = (assay_error){0};
    assert_int_equal(write_site("/dev/null/site", NULL, NULL, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/dev/null"));
}

static void put(const char *path, const char *text)
{
    assay_error error = {0};
    assert_int_equal(text_file_write(path, text, strlen(text), &error), ASSAY_OK);
}

/* A log with everything that a log should not be able to do to the page. */
static void logs_become_pages(void **unused)
{
    char reports[400], path[500], site_path[400];
    snprintf(reports, sizeof reports, "%s/logs", folder);
    snprintf(site_path, sizeof site_path, "%s/with-logs", folder);
    snprintf(path, sizeof path, "%s/summary.json", reports);
    put(path, "{\"schema\": 1, \"device\": {\"slug\": \"made-up-gpu\", \"name\": \"Made-up <GPU>\"}}");
    snprintf(path, sizeof path, "%s/summary.md", reports);
    put(path, "# Summary\n\n[add](add_log.md) and [secret](../../etc/passwd)\n");
    snprintf(path, sizeof path, "%s/roofline_add.svg", reports);
    put(path, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    snprintf(path, sizeof path, "%s/add_log.md", reports);
    put(path, "# add\n\n<script>alert(1)</script>\n\n[x](javascript:alert(2)) "
              "[web](https://example.org/?a=1&b=2)\n\n"
              "| Kernel | us |\n|---|---:|\n| v1 & v2 | 3 |\n\n![Roofline of add](roofline_add.svg) "
              "![gone](gone.svg)\n\n"
              "<details><summary>Commands</summary>\n\n- one\n\n</details>\n");
    const char *const folders[] = {reports};
    FILE *messages = tmpfile();
    const dashboard_options options = {
        .reports = folders, .report_count = 1, .messages = messages, .title = "A <b> & c"};
    dashboard_summary summary;
    assay_error error = {0};
    assert_int_equal(write_site(site_path, &options, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.logs, 2);
    char *log = read_file(site_path, "log-made-up-gpu-add.html");
    assert_null(strstr(log, "<script>alert"));
    assert_non_null(strstr(log, "<title>add on Made-up &lt;GPU&gt; - A &lt;b&gt; &amp; c</title>"));
#ifdef ASSAY_WITH_MD4C
    assert_null(strstr(log, "javascript:alert(2)"));
    assert_non_null(strstr(log, "<a href=\"https://example.org/?a=1&amp;b=2\">web</a>"));
    assert_non_null(strstr(log, "<th scope=\"col\" align=\"right\">us</th>"));
    assert_non_null(strstr(log, "<td>v1 &amp; v2</td>"));
    assert_non_null(strstr(log, "<img src=\"plots/made-up-gpu-roofline_add.svg\" alt=\"Roofline of add\">"));
    assert_null(strstr(log, "gone.svg"));
    assert_non_null(strstr(log, "<details><summary>Commands</summary>"));
    assert_non_null(strstr(log, "</details>"));
    assert_non_null(strstr(log, "<a href=\"op-add.html\">Trends of add</a>"));
    free(log);
    log = read_file(site_path, "log-made-up-gpu.html");
    assert_non_null(strstr(log, "<a href=\"log-made-up-gpu-add.html\">add</a>"));
    assert_null(strstr(log, "passwd\""));
    char *op = read_file(site_path, "op-add.html");
    assert_non_null(strstr(op, "src=\"plots/made-up-gpu-roofline_add.svg\""));
    assert_non_null(strstr(op, "href=\"log-made-up-gpu-add.html\""));
    free(op);
    free(read_file(site_path, "plots/made-up-gpu-roofline_add.svg"));
    char said[512] = "";
    rewind(messages);
    assert_non_null(fgets(said, sizeof said, messages));
    assert_non_null(strstr(said, "gone.svg"));
#endif
    free(log);
    fclose(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_site_has_its_files),
        cmocka_unit_test(pages_of_others_stay),
        cmocka_unit_test(wrong_use_is_named),
        cmocka_unit_test(logs_become_pages),
    };
    return cmocka_run_group_tests(tests, make_history, remove_site);
}
