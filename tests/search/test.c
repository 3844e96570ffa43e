/* See test.h. */
#include "test.h"
#include "core/process.h"
#include <unistd.h>

static void add_parameter(space *s, char *text)
{
    expression_value values[256];
    int count = 0;
    char *equals = strchr(text, '=');
    assert_non_null(equals);
    *equals = '\0';
    for (char *item = equals + 1; *item;) {
        char *end = NULL;
        values[count++] = value_integer(strtoll(item, &end, 10));
        assert_true(end != item);
        item = *end == ',' ? end + 1 : end;
    }
    ASSERT_OK(space_add_parameter(s, text, values, count, 0, failure));
}

space *make_space(const char *parameters, const char *constraints)
{
    space *s = NULL;
    char *parts = strdup(parameters), *rules = strdup(constraints), *rest = NULL;
    ASSERT_OK(space_create(&s, failure));
    for (char *part = strtok_r(parts, ";", &rest); part; part = strtok_r(NULL, ";", &rest))
        add_parameter(s, part);
    for (char *rule = strtok_r(rules, ";", &rest); rule; rule = strtok_r(NULL, ";", &rest))
        ASSERT_OK(space_add_constraint(s, rule, failure));
    ASSERT_OK(space_finish(s, failure));
    free(parts);
    free(rules);
    return s;
}

void make_folder(char out[256])
{
    snprintf(out, 256, "%s/assay-search-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(out));
}

void remove_folder(const char *path)
{
    process_result end;
    process_run((const char *const[]){"rm", "-rf", "--", path, NULL}, 20, 1, &end);
    process_result_release(&end);
}
