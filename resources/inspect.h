/* Readers behind resources_inspect, one a source. Each adds keys to the kernels of one architecture: an object with one member a
 * symbol. None guesses: what a source does not say stays absent. */
#ifndef ASSAY_RESOURCES_INSPECT_H
#define ASSAY_RESOURCES_INSPECT_H

#include <assay/status.h>
#include <jansson.h>
#include <stdio.h>

/* The object of a symbol, made if it is not there. Borrowed. NULL for a name that is no UTF-8, which JSON cannot hold. */
json_t *inspect_kernel(json_t *kernels, const char *symbol, size_t length);

/* What `ptxas -v` printed for all architectures of a module -> {"sm_90a": {SYMBOL: {...}}}: "entry" (false for a device function that
 * was not inlined), "registers", "barriers", "static_shared_bytes", "constant_bytes", "stack_bytes", "spill_store_bytes",
 * "spill_load_bytes", "warnings". */
void report_read(const char *text, json_t *architectures);

/* Directives of PTX (PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives"): "required_threads",
 * "max_threads", "min_blocks", "cluster_blocks", and "dynamic_shared": whether the kernel names an external shared array. */
void ptx_read(const char *text, json_t *kernels);

/* Sizes of the sections ".text.SYMBOL" of a cubin: "code_bytes". */
assay_status cubin_read(const char *path, json_t *kernels, assay_error *error);

/* A listing of nvdisasm: "instructions" of each kernel. */
void listing_read(FILE *listing, json_t *kernels);

/* Path of nvdisasm beside the compiler or on PATH; 0 if there is none. */
int disassembler_find(const char *compiler, char *out, size_t out_bytes);

/* Disassemble a cubin and add "instructions". */
assay_status disassembler_read(const char *nvdisasm, const char *cubin, json_t *kernels, assay_error *error);

/* Name of a C++ symbol without its return type and arguments: "softmax_rows<4, 0, false>". malloc'ed. */
char *symbol_name(const char *symbol);

#endif
