/* The device interface on the CPU device: opening, memory and its guards, copies, events, information, argument checks. */
#include "device_test.h"
#include <assay_simt/runtime.h>
#include <stdlib.h>

static void open_says_why_not(void **state)
{
    assay_device *device = (assay_device *)state;
    assay_error error = {0};
    assert_int_equal(assay_device_open("gpu", 0, &device, &error), ASSAY_ERR_INVALID);
    assert_null(device);
    assert_non_null(strstr(error.message, "cpu, ptx or cuda"));
    assert_int_equal(assay_device_open(NULL, 0, &device, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(assay_device_open("cpu", -1, &device, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(assay_device_open("cpu", 1, &device, NULL), ASSAY_ERR_ENVIRONMENT);
    assert_int_equal(assay_device_open("cpu", 0, NULL, NULL), ASSAY_ERR_INVALID);
#ifndef ASSAY_WITH_CUDA
    error = (assay_error){0};
    assert_int_equal(assay_device_open("cuda", 0, &device, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "no CUDA"));
#endif
    assay_device_close(NULL);
}

static void info_is_filled_in(void **state)
{
    fixture f;
    fixture_open(&f, 16);
    const assay_device_info *info = assay_device_get_info(f.device);
    assert_string_equal(info->kind, "cpu");
    assert_string_equal(info->slug, "cpu-simt");
    assert_true(info->name[0] && info->sm_count >= 1 && info->memory_bytes > 0 && info->has_graphs == 0);
    assert_int_equal(info->compute_major, 0);
    assert_int_equal(info->shared_bytes_per_block, 227 * 1024);
    int64_t bytes = 0;
    assert_int_equal(assay_device_free_bytes(f.device, &bytes, NULL), ASSAY_OK);
    assert_true(bytes > 0 && bytes <= info->memory_bytes);
    assay_device_health health;
    assert_int_equal(assay_device_read_health(f.device, &health), ASSAY_OK);
    assert_true(health.reasons == -1 && health.power_w < 0 && health.sm_mhz != 0);
    assert_non_null(assay_device_stream(f.device));
    fixture_close(&f);
}

static void memory_lies_between_guards(void **state)
{
    static const size_t sizes[] = {1, 15, 16, 17, 255, 256, 4095, 4096, 4097, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p = assay_simt_memory_alloc(sizes[i]);
        const size_t rounded = (sizes[i] + 15) / 16 * 16;
        assert_non_null(p);
        assert_int_equal((uintptr_t)(p + rounded) % 4096, 0); /* the guard page starts right behind */
        assert_int_equal((uintptr_t)p % (sizes[i] % 256 ? 16 : 256), 0);
        memset(p, 0x5a, sizes[i]);
        assert_true(assay_simt_memory_intact(p));
#if !defined(__SANITIZE_ADDRESS__) /* it forbids what follows */
        if (sizes[i] % 16) {
            p[sizes[i]] ^= 1;
            assert_false(assay_simt_memory_intact(p));
            p[sizes[i]] ^= 1;
        }
        if (rounded % 4096) {
            p[-1] ^= 1;
            assert_false(assay_simt_memory_intact(p));
        }
#endif
        assay_simt_memory_free(p);
    }
    assay_simt_memory_free(NULL);
    assert_null(assay_simt_memory_alloc(SIZE_MAX));
}

static void allocation_edge_cases(void **state)
{
    fixture f;
    void *pointer = &f;
    fixture_open(&f, 16);
    assert_int_equal(assay_device_alloc(f.device, -1, &pointer, NULL), ASSAY_ERR_INVALID);
    assert_null(pointer);
    assert_int_equal(assay_device_alloc(f.device, INT64_MAX, &pointer, NULL), ASSAY_ERR_NO_MEMORY);
    assert_int_equal(assay_device_alloc(f.device, 0, &pointer, NULL), ASSAY_OK);
    assert_non_null(pointer);
    assay_device_free(f.device, pointer);
    assay_device_free(f.device, NULL);
    assert_int_equal(assay_device_alloc(NULL, 1, &pointer, NULL), ASSAY_ERR_INVALID);
    fixture_close(&f);
}

static void copies_move_bytes(void **state)
{
    fixture f;
    fixture_open(&f, 100);
    void *other;
    char from[100], to[100] = {0};
    for (int i = 0; i < 100; i++)
        from[i] = (char)i;
    assert_int_equal(assay_device_alloc(f.device, 100, &other, NULL), ASSAY_OK);
    assert_int_equal(assay_device_upload(f.device, f.args.data, from, 100, NULL), ASSAY_OK);
    assert_int_equal(assay_device_copy(f.device, other, f.args.data, 100, NULL), ASSAY_OK);
    assert_int_equal(assay_device_fill(f.device, f.args.data, 0x11, 50, NULL), ASSAY_OK);
    assert_int_equal(assay_device_download(f.device, to, other, 100, NULL), ASSAY_OK);
    assert_memory_equal(from, to, 100);
    assert_int_equal(assay_device_peek(f.device, to, f.args.data, 100, NULL), ASSAY_OK);
    assert_int_equal(to[49], 0x11);
    assert_int_equal(to[50], 50);
    assert_int_equal(assay_device_upload(f.device, NULL, from, 1, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(assay_device_upload(f.device, f.args.data, from, -1, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(assay_device_download(f.device, NULL, NULL, 0, NULL), ASSAY_OK);
    assay_device_free(f.device, other);
    fixture_close(&f);
}

static void events_measure_time(void **state)
{
    fixture f;
    fixture_open(&f, 16);
    assay_event *from, *to;
    double us = -1;
    assert_int_equal(assay_event_create(f.device, &from, NULL), ASSAY_OK);
    assert_int_equal(assay_event_create(f.device, &to, NULL), ASSAY_OK);
    assert_int_equal(assay_event_elapsed_us(from, to, &us, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(assay_device_block(f.device, NULL), ASSAY_OK);
    assert_int_equal(assay_event_record(from, NULL), ASSAY_OK);
    assert_int_equal(assay_device_launch_empty(f.device, NULL), ASSAY_OK);
    assert_int_equal(assay_device_flush_cache(f.device, "memset", NULL), ASSAY_OK);
    assert_int_equal(assay_device_flush_cache(f.device, "read", NULL), ASSAY_OK);
    assert_int_equal(assay_event_record(to, NULL), ASSAY_OK);
    assert_int_equal(assay_device_unblock(f.device, NULL), ASSAY_OK);
    assert_int_equal(assay_event_elapsed_us(from, to, &us, NULL), ASSAY_OK);
    assert_true(us > 0 && us < 60e6);
    assert_int_equal(assay_device_flush_cache(f.device, "write", NULL), ASSAY_ERR_INVALID);
    assay_event_destroy(from);
    assay_event_destroy(to);
    assay_event_destroy(NULL);
    fixture_close(&f);
}

static void there_are_no_graphs(void **state)
{
    fixture f;
    assay_graph *graph = NULL;
    fixture_open(&f, 16);
    assert_int_equal(assay_graph_begin(f.device, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_int_equal(assay_graph_end(f.device, &graph, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_null(graph);
    assert_int_equal(assay_graph_launch(NULL, NULL), ASSAY_ERR_INVALID);
    assay_graph_destroy(NULL);
    fixture_close(&f);
}

static void options_are_checked(void **state)
{
    fixture f;
    fixture_open(&f, 16);
    assay_cpu_options options = {.order = "sideways"};
    assert_int_equal(assay_device_set_cpu_options(f.device, &options, NULL), ASSAY_ERR_INVALID);
    options = (assay_cpu_options){.workers = -1};
    assert_int_equal(assay_device_set_cpu_options(f.device, &options, NULL), ASSAY_ERR_INVALID);
    options = (assay_cpu_options){.workers = 1};
    assert_int_equal(assay_device_set_cpu_options(f.device, &options, NULL), ASSAY_OK);
    assert_int_equal(assay_device_get_info(f.device)->sm_count, 1);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_says_why_not),          cmocka_unit_test(info_is_filled_in),
        cmocka_unit_test(memory_lies_between_guards), cmocka_unit_test(allocation_edge_cases),
        cmocka_unit_test(copies_move_bytes),          cmocka_unit_test(events_measure_time),
        cmocka_unit_test(there_are_no_graphs),        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
