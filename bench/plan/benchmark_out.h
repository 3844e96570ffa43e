/* One file of all groups for --benchmark_out: each group has a worker of its own, which writes one. */
#ifndef ASSAY_BENCH_BENCHMARK_OUT_H
#define ASSAY_BENCH_BENCHMARK_OUT_H

#include <assay/status.h>
#include <jansson.h>

typedef struct benchmark_out {
    const char *path, *format;                   /* as given; path "": nobody asked for a file */
    char worker_path[4300];                      /* what a worker is told to write */
    char worker_option[4400], worker_format[64]; /* its options */
    json_t *whole;                               /* owned: of format json */
    char *text;                                  /* owned: of the other formats */
} benchmark_out;

/* `folder`: where workers' files may lie. */
void benchmark_out_begin(benchmark_out *out, const char *folder);
/* After a worker: take over what it wrote, if it did. */
assay_status benchmark_out_add(benchmark_out *out, assay_error *error);
/* Write the file and release all. ASSAY_ERR_IO: it could not be written. */
assay_status benchmark_out_end(benchmark_out *out, assay_error *error);

#endif
