/* What a card says of its settings and surroundings, through NVML: what `assay env` judges. Reads only. */
#ifndef ASSAY_DEVICE_CUDA_NVML_CARD_H
#define ASSAY_DEVICE_CUDA_NVML_CARD_H

#include "device/cuda/nvml.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NVML_CARD_PROCESSES = 16 };

typedef struct nvml_process {
    unsigned pid;
    double memory_mib; /* negative: unknown */
} nvml_process;

/* Whole numbers are -1, others negative, and texts "" where the driver does not say. */
typedef struct nvml_card {
    char name[96], driver[32], nvml[96];
    int sm_mhz, memory_mhz, most_sm_mhz, most_memory_mhz; /* now, and the highest that the card knows */
    int set_sm_mhz, set_memory_mhz;                       /* application clocks: what an owner has set */
    int persistence, ecc, ecc_pending, mig;               /* 1 on, 0 off */
    int compute_mode; /* 0: shared by all processes; 2: closed to them; 3: for one at a time */
    double power_w, power_limit_w, power_default_w, power_least_w, power_most_w;
    int temperature_c, slowdown_c; /* now, and where the hardware slows down */
    int pcie_generation, pcie_most_generation, pcie_width, pcie_most_width;
    int busy_percent; /* of the last moments */
    int64_t reasons;  /* clock event reasons now */
    int process_count;
    nvml_process processes[NVML_CARD_PROCESSES];
} nvml_card;

/* 1 if NVML is there and knows the card, else 0 with everything unknown. */
int nvml_read_card(const nvml_session *session, nvml_card *card);

#ifdef __cplusplus
}
#endif
#endif
