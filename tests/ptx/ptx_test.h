/* What the tests of the PTX device share: a device, a module from text, a launch of one kernel with one buffer of words. */
#ifndef ASSAY_TESTS_PTX_TEST_H
#define ASSAY_TESTS_PTX_TEST_H

#include "tests/unit.h"
#include "device/ptx/ptx.h"

#define HEADER ".version 8.0\n.target sm_90a\n.address_size 64\n"
/* A kernel with the pointer `data`, loaded into %data and advanced to the word of the thread in %mine; %t is the thread. */
#define KERNEL(body)                                                                                        \
    HEADER ".visible .entry k(.param .u64 data)\n{\n"                                                       \
           ".reg .b64 %data, %mine, %l<20>;\n.reg .b32 %t, %r<40>;\n.reg .b16 %h<20>;\n.reg .f32 %f<20>;\n" \
           ".reg .f64 %d<10>;\n.reg .pred %p<10>;\n"                                                        \
           "ld.param.u64 %data, [data];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %mine, %t, 4, %data;\n" body     \
           "\nret;\n}\n"

typedef struct setup {
    ptx_device *device;
    ptx_module *module;
    ptx_address data;
    uint32_t words;
} setup;

static inline setup setup_text(const char *text, uint32_t words)
{
    setup s = {.words = words};
    ptx_error error = {0};
    if (ptx_device_open(NULL, &s.device, &error) != PTX_OK ||
        ptx_module_load(s.device, text, strlen(text), "test.ptx", &s.module, &error) != PTX_OK ||
        ptx_alloc(s.device, words * 4, "data", &s.data, &error) != PTX_OK ||
        ptx_fill(s.device, s.data, 0, 4, words, &error) != PTX_OK)
        fail_msg("%s", error.text);
    return s;
}

static inline void setup_end(setup *s)
{
    ptx_module_free(s->module);
    ptx_device_close(s->device);
}

/* Launch `blocks` of `threads`; the report is the caller's. */
static inline ptx_report *launch(setup *s, uint32_t blocks, uint32_t threads, uint32_t checks)
{
    ptx_function *f = ptx_module_function(s->module, "k");
    assert_non_null(f);
    const ptx_launch l = {.function = f,
                          .grid = {blocks, 1, 1},
                          .block = {threads, 1, 1},
                          .params = &s->data,
                          .threads = 1,
                          .checks = checks,
                          .limit_seconds = 20};
    ptx_report *r;
    ptx_launch_run(&l, &r);
    return r;
}

/* Run a kernel that must be right and give its words. */
static inline void run_right(const char *text, uint32_t blocks, uint32_t threads, uint32_t *words,
                             uint32_t count)
{
    setup s = setup_text(text, count);
    ptx_report *r = launch(&s, blocks, threads, PTX_CHECK_ALL);
    if (r->status != PTX_OK)
        fail_msg("%s", r->text);
    assert_int_equal(ptx_copy_out(s.device, words, s.data, count * 4, NULL), PTX_OK);
    ptx_report_free(r);
    setup_end(&s);
}

/* Run a kernel that must be reported so: the kind, the line of the PTX text (0: any), words of the text. */
static inline void run_wrong(const char *text, uint32_t blocks, uint32_t threads, uint32_t checks,
                             ptx_finding_kind kind, const char *says)
{
    setup s = setup_text(text, 64);
    ptx_report *r = launch(&s, blocks, threads, checks);
    if (r->finding_count == 0 || r->findings[0].kind != kind || !strstr(r->text, says))
        fail_msg("expected finding %d with '%s', got status %d: %s", (int)kind, says, (int)r->status,
                 r->text);
    ptx_report_free(r);
    setup_end(&s);
}

#endif
