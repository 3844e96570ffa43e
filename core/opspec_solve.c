/* "solve" of an op.json: how a contest's solve() is called. That the names are members of the op's argument struct is for the compiler to say:
 * build_module/check_op_main.c. */
#include "core/opspec_reader.h"
#include <regex.h>
#include <stdio.h>

static int matches(const char *text, const char *pattern)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return 0;
    const int found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static assay_status check_form(opspec_reader *r, size_t form, const json_t *item)
{
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(item, "arguments"), index, entry)
    {
        if (!matches(json_string_value(entry), "^[A-Za-z_][A-Za-z0-9_]*$"))
            return OPSPEC_FAIL(
                r,
                "%s: key \"solve[%zu].arguments\": \"%s\" is no name; allowed: members of the op's "
                "argument struct",
                r->file, form, json_string_value(entry));
    }
    json_array_foreach(json_object_get(item, "when"), index, entry)
    {
        if (!matches(json_string_value(entry),
                     "^[A-Za-z_][A-Za-z0-9_]* (==|!=|<=|>=|<|>) -?[0-9][0-9.eE+-]*$"))
            return OPSPEC_FAIL(
                r,
                "%s: key \"solve[%zu].when\": \"%s\" is no condition; allowed: a member, one of == != < <= > "
                ">=, and a number, such as \"count > 0\"",
                r->file, form, json_string_value(entry));
    }
    return ASSAY_OK;
}

/* The number of arguments says which form a file has, so each number is there once. */
assay_status opspec_check_solve(opspec_reader *r, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        const size_t count = json_array_size(json_object_get(item, "arguments"));
        for (size_t i = 0; i < index; i++)
            if (json_array_size(json_object_get(json_array_get(list, i), "arguments")) == count)
                return OPSPEC_FAIL(
                    r,
                    "%s: key \"solve[%zu].arguments\": another form has %zu too; allowed: one form for each "
                    "number of arguments",
                    r->file, index, count);
        if (check_form(r, index, item) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
    }
    return ASSAY_OK;
}
