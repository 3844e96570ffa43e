/* The template language: what it renders and how it names mistakes. */
#include "tests/unit.h"
#include "report/template.h"

static const char context_text[] = "{\"name\":\"add\",\"count\":3,\"half\":0.5,\"yes\":true,\"no\":false,"
                                   "\"empty\":\"\",\"none\":[],\"nothing\":null,"
                                   "\"items\":[{\"name\":\"a\",\"parts\":[\"x\",\"y\"]},{\"name\":\"b\","
                                   "\"parts\":[]}],\"inner\":{\"deep\":\"d\"}}";

static assay_status render(const char *text, text_buffer *out, assay_error *error)
{
    json_t *context = json_loads(context_text, 0, NULL);
    assert_non_null(context);
    const assay_status status = template_render("t.md", text, context, out, error);
    json_decref(context);
    return status;
}

static void check(const char *text, const char *expected)
{
    text_buffer out = {0};
    assay_error error = {0};
    assert_int_equal(render(text, &out, &error), ASSAY_OK);
    assert_string_equal(text_get(&out), expected);
    text_release(&out);
}

static void check_error(const char *text, const char *message)
{
    text_buffer out = {0};
    assay_error error = {0};
    assert_int_equal(render(text, &out, &error), ASSAY_ERR_FORMAT);
    assert_string_equal(error.message, message);
    text_release(&out);
}

static void values(void **state)
{
    check("", "");
    check("plain {text} }}", "plain {text} }}");
    check("{{name}} {{ count }} {{half}} {{yes}} {{no}}[{{nothing}}{{empty}}]", "add 3 0.5 true false[]");
    check("a{{! a comment with {{name }}b", "ab");
}

static void sections(void **state)
{
    check("{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#empty}}3{{/empty}}{{#none}}4{{/none}}{{#nothing}}5{{/nothing}}",
          "1");
    check("{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^empty}}3{{/empty}}{{^none}}4{{/none}}{{^nothing}}5{{/nothing}}",
          "2345");
    check("{{#items}}{{name}}:{{#parts}}{{.}}{{/parts}}({{count}});{{/items}}", "a:xy(3);b:(3);");
    check("{{#inner}}{{deep}}{{name}}{{/inner}}", "dadd");
    check("{{#name}}<{{name}}>{{/name}}", "<add>");
    check("{{#none}}{{not_looked_at}}{{#nor_this}}x{{/nor_this}}{{/none}}done", "done");
}

static void lines_of_tags_leave_no_line(void **state)
{
    check("a\n  {{#items}}\n- {{name}}\n  {{/items}}\nb\n", "a\n- a\n- b\nb\n");
    check("{{! first }}\nx\n{{#no}}\ny\n{{/no}}", "x\n");
    check("| {{#items}} {{name}} |{{/items}}\n", "|  a | b |\n");
}

static void mistakes_are_named_with_their_line(void **state)
{
    check_error("a\nb {{nmae}}", "t.md:2: unknown placeholder 'nmae'");
    check_error("\n\n{{#itemz}}\n{{/itemz}}", "t.md:3: unknown section 'itemz'");
    check_error("{{#items}}\n{{nmae}}\n{{/items}}", "t.md:2: unknown placeholder 'nmae'");
    check_error("{{#yes}}\n", "t.md:1: section is not closed: 'yes'");
    check_error("{{#yes}}\n{{/no}}", "t.md:2: closing tag without its opening tag: 'no'");
    check_error("x\n{{/yes}}", "t.md:2: closing tag without its opening tag: 'yes'");
    check_error("{{items}}", "t.md:1: placeholder is a list or an object: 'items'; use it as a section");
    check_error("\n{{name", "t.md:2: no '}}' after '{{'");
    check_error("{{}}", "t.md:1: a tag's name must have 1 to 63 characters: '{{'");
}

static void nesting_is_bounded(void **state)
{
    text_buffer text = {0}, out = {0};
    assay_error error = {0};
    for (int i = 0; i < 200; i++)
        text_puts(&text, "{{#yes}}");
    for (int i = 0; i < 200; i++)
        text_puts(&text, "{{/yes}}");
    assert_int_equal(render(text_get(&text), &out, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "nested too deep"));
    text_release(&text);
    text_release(&out);
}

static void a_missing_file_is_named(void **state)
{
    text_buffer out = {0};
    assay_error error = {0};
    json_t *context = json_object();
    assert_int_equal(template_render_file("/nonexistent", "op_log.md", context, &out, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/nonexistent/op_log.md"));
    json_decref(context);
    text_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(sections),
        cmocka_unit_test(lines_of_tags_leave_no_line),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
