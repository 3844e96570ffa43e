/* Values of single PTX instructions: the same kernels run on a GPU, whose results are recorded, and on the PTX device, whose results are
 * compared with them. Every kernel applies one instruction to a table of operands, one thread a row of the table. */
#ifndef ASSAY_TESTS_PTX_TRUTH_H
#define ASSAY_TESTS_PTX_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_OPERANDS = 16, MOST_RESULTS = 8, BLOCK = 128, NAME_BYTES = 96 };

/* ---- kinds of operands and results ---- */

/* What special values a kind has. */
typedef enum truth_class { CLASS_INTEGER, CLASS_FLOAT, CLASS_BOUNDED, CLASS_PREDICATE } truth_class;

typedef struct truth_kind {
    const char *name;
    truth_class class;
    int bits;               /* of one element */
    int elements;           /* in the register */
    int exponent, mantissa; /* bits, of floats */
    uint64_t low, high; /* CLASS_BOUNDED: from low to high; floats: bits of the largest magnitude, 0: any */
} truth_kind;

/* By name; NULL where there is none. */
const truth_kind *truth_kind_find(const char *name);
/* Bytes of its register and in the file: 1 (predicates alone), 2, 4, 8. */
int truth_kind_bytes(const truth_kind *kind);

/* ---- cases ---- */

typedef struct truth_case {
    char name[NAME_BYTES]; /* the instruction; after '@' what tells cases of one instruction apart */
    const char *body;      /* '$' stands for the instruction, %a0... for operands, %d0... for results */
    const char *compare;   /* see truth_same() */
    const truth_kind *in[MOST_OPERANDS], *out[MOST_RESULTS];
    int ins, outs, rows; /* rows: a multiple of BLOCK */
} truth_case;

/* All cases, in the order of cases.def. The array is the caller's to free. Ends the process with a message if a row of cases.def is
 * wrong. */
truth_case *truth_cases(size_t *count);

/* Operands of the case: rows values for each operand, operand after operand. The caller frees. */
uint64_t *truth_operands(const truth_case *c);
/* Changes with the text of the kernel and with the operands. */
uint32_t truth_hash(const truth_case *c, const uint64_t *operands);
/* A module with the kernels c0, c1, ... of `count` cases; the caller frees. Parameters: operands, results (8 bytes each), scratch memory of
 * 16 bytes a thread. */
char *truth_text(const truth_case *cases, size_t count);

/* The tensor map that a case of TMA gets as its fourth parameter: boxes of 8 rows of a tensor of two dimensions over the operands, or
 * columns of 16 pixels (im2col) of one of four. */
typedef struct truth_map {
    int type, swizzle, fill; /* in the driver's numbers */
    uint32_t rank;           /* 2: tiled, 4: im2col */
    uint64_t dims[4], strides[3];
    uint32_t box[2]; /* im2col: channels and pixels */
    int corners[2];  /* im2col: lower and upper ones of its pixel box, the same number in both dimensions */
    uint32_t per_16; /* elements of 16 bytes: what the innermost coordinate must be a multiple of */
    uint32_t bytes;  /* of a box */
} truth_map;
/* 0 where the case has none. */
int truth_map_of(const truth_case *c, truth_map *map);

/* 1 if `got` is as good as `recorded`, as `compare` says for every element:
 *     X      the same bits
 *     N      the same bits, or NaN for NaN
 *     U2     at most two units in the last place apart; NaN for NaN
 *     R22    a relative difference of at most 2^-22 (subnormal results: of the least normal number); NaN for NaN
 *     A20.5  a difference of at most 2^-20.5; NaN for NaN
 *     M22    a relative difference of at most 2^-22, or an absolute one
 *     -      recorded and not compared */
int truth_same(const truth_kind *kind, const char *compare, uint64_t recorded, uint64_t got);

/* ---- recorded values ---- */

typedef struct truth_record {
    char name[NAME_BYTES];
    uint32_t hash;
    int refused; /* the assembler did not take the kernel, or it ended by a fault */
    int rows, outs;
    uint64_t *values; /* rows values for each result, result after result */
} truth_record;

typedef struct truth_file {
    char source[256]; /* what device and driver recorded it */
    truth_record *records;
    size_t count;
} truth_file;

/* Write to a temporary name, then rename. 0, or -1 with a message on stderr. */
int truth_file_write(const char *path, const truth_file *file, const truth_case *cases);
/* 0; -1 with a message on stderr; 1 where there is no such file. truth_file_free() in any case. */
int truth_file_read(const char *path, truth_file *file);
void truth_file_free(truth_file *file);

/* ---- devices ---- */

/* Run cases and fill the records' values (allocated here). 0, or -1 with a message on stderr. */
int truth_run_driver(const char *library, const truth_case *cases, size_t count, truth_file *file);
#endif
