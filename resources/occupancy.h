/* How many blocks of a kernel fit on one multiprocessor: arithmetic over limits that depend on the compute capability alone. */
#ifndef ASSAY_RESOURCES_OCCUPANCY_H
#define ASSAY_RESOURCES_OCCUPANCY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of one multiprocessor. Bytes of shared memory as the hardware has them; one KiB of each block's share is the system's. */
typedef struct sm_limits {
    int major, minor;
    int max_blocks, max_warps, registers, shared_bytes, max_shared_block_bytes;
} sm_limits;

/* Limits of "sm_90a" (or "sm_90"), NULL for an architecture that the table does not have. */
const sm_limits *occupancy_limits(const char *arch);

typedef struct occupancy {
    int blocks, warps;      /* resident on one multiprocessor; 0 blocks: the kernel cannot be launched so */
    double percent;         /* warps of the most that can be resident */
    const char *limited_by; /* "registers", "shared memory", "warps", "blocks" */
} occupancy;

/* `shared_bytes` is of one block, static and dynamic together. `threads` is at least 1. */
occupancy occupancy_compute(const sm_limits *limits, int threads, int registers, long shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
