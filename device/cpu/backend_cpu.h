/* What the files of the CPU backend share. The backend is C over libassay_simt.so; it runs no kernel of its own. */
#ifndef ASSAY_DEVICE_BACKEND_CPU_H
#define ASSAY_DEVICE_BACKEND_CPU_H

#include "device/backend.h"

typedef struct cpu_device {
    assay_device base;
    unsigned char *flush; /* allocated at the first flush: twice the last-level cache */
    int64_t flush_bytes;
} cpu_device;

/* info_cpu.c */
void cpu_fill_info(assay_device_info *info);
int64_t cpu_available_bytes(void);
assay_status cpu_read_health(assay_device *device, assay_device_health *health);

#endif
