/* Findings about a card, and what each does to the times. Thresholds are explained where they are. */
#include "bench/environment/environment_card.h"
#include "device/cuda/nvml_card.h"
#include "core/process.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void environment_add(json_t *findings, const char *name, const char *verdict, const char *effect,
                     const char *format, ...)
{
    char value[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    json_array_append_new(findings, json_pack("{s:s, s:s, s:s, s:s}", "name", name, "value", value, "verdict",
                                              verdict, "effect", effect));
}

static void add_identity(json_t *findings, const assay_device_info *device, const nvml_card *card)
{
    environment_add(findings, "Card", "fine",
                    "times belong to this card; others of its kind differ by a few percent",
                    "%s, %d SMs, %.1f GiB, %s", device->name, device->sm_count,
                    (double)device->memory_bytes / (1 << 30), device->uuid[0] ? device->uuid : "no UUID");
    environment_add(findings, "Driver and runtime", "fine",
                    "part of a result's identity: comparisons across drivers are refused unless asked for",
                    "driver %s, CUDA runtime %s%s%s", device->driver, device->runtime,
                    card->nvml[0] ? ", NVML " : "", card->nvml);
}

static void add_clocks(json_t *findings, const nvml_card *card)
{
    if (card->sm_mhz >= 0)
        environment_add(findings, "Clocks now", "fine",
                        "idle clocks are lower; the clocks under load are in every result (`during`)",
                        "SM %d MHz, memory %d MHz", card->sm_mhz, card->memory_mhz);
    if (card->most_sm_mhz >= 0)
        environment_add(findings, "Highest clocks", "fine",
                        "theoretical rates are stated at these; under tensor-core load the power cap holds "
                        "the SM clock below",
                        "SM %d MHz, memory %d MHz", card->most_sm_mhz, card->most_memory_mhz);
    if (card->set_sm_mhz < 0)
        return;
    const int lowered = card->set_sm_mhz < card->most_sm_mhz || card->set_memory_mhz < card->most_memory_mhz;
    environment_add(findings, "Application clocks", lowered ? "note" : "fine",
                    lowered ? "below the highest: compute-bound times may be slower than the card can be "
                              "(by the ratio of the "
                              "clocks, at most); reset with nvidia-smi -rac if you own the card"
                            : "the card may use its highest clocks",
                    "SM %d MHz, memory %d MHz", card->set_sm_mhz, card->set_memory_mhz);
}

static void add_power(json_t *findings, const nvml_card *card)
{
    if (card->power_limit_w >= 0.0) {
        const int lowered = card->power_default_w > 0.0 && card->power_limit_w < card->power_default_w - 1.0;
        environment_add(
            findings, "Power limit", lowered ? "warning" : "fine",
            lowered
                ? "lowered: matrix products are slower than on other cards of this kind, others less"
                : "the card's own; matrix products reach it and slow down, so they have `sustained` times",
            "%.0f W (default %.0f W, %.0f to %.0f W allowed), now %.0f W", card->power_limit_w,
            card->power_default_w, card->power_least_w, card->power_most_w, card->power_w);
    }
    if (card->temperature_c >= 0) {
        /* Within ten degrees of the hardware's limit, a few minutes of load get there. */
        const int hot = card->slowdown_c > 0 && card->temperature_c > card->slowdown_c - 10;
        environment_add(findings, "Temperature", hot ? "warning" : "fine",
                        hot ? "close to the hardware's slowdown: expect cases that say `unstable`"
                            : "far from the hardware's slowdown",
                        "%d C (slowdown at %d C)", card->temperature_c, card->slowdown_c);
    }
    const int64_t trouble = card->reasons > 0 ? card->reasons & (0x8 | 0x20 | 0x40 | 0x80) : 0;
    if (card->reasons >= 0)
        environment_add(
            findings, "Clock event reasons now", trouble ? "warning" : "fine",
            trouble ? "the card slows down for heat or power supply right now: times are not its own"
                    : "no slowdown (0x1: idle; 0x4: software power cap, normal under tensor-core load)",
            "0x%llx", (unsigned long long)card->reasons);
}

static void add_modes(json_t *findings, const nvml_card *card)
{
    if (card->ecc >= 0)
        environment_add(findings, "ECC", card->ecc == card->ecc_pending ? "fine" : "note",
                        card->ecc ? "on: costs no bandwidth with HBM, some 6% with GDDR"
                                  : "off: GDDR cards are faster than with it; say so when comparing",
                        "%s%s", card->ecc ? "on" : "off",
                        card->ecc == card->ecc_pending ? "" : ", changes at the next reset");
    if (card->mig >= 0)
        environment_add(
            findings, "MIG", card->mig ? "warning" : "fine",
            card->mig
                ? "a slice of a card: ceilings and times are the slice's, and neighbours share its power"
                : "the whole card",
            "%s", card->mig ? "on" : "off");
    if (card->compute_mode >= 0)
        environment_add(
            findings, "Compute mode", card->compute_mode == 0 ? "fine" : "warning",
            card->compute_mode == 0
                ? "torch and Triton, which have a process of their own, can be timed beside kernels"
                : "torch and Triton have a process of their own, which keeps kernels from the card unless "
                  "MPS shares it: nvidia-smi -c DEFAULT if you own the card, or --baselines without them",
            "%s",
            card->compute_mode == 0   ? "shared"
            : card->compute_mode == 2 ? "prohibited"
                                      : "one process at a time");
    if (card->persistence >= 0)
        environment_add(findings, "Persistence", card->persistence ? "fine" : "note",
                        card->persistence ? "the driver stays loaded between processes"
                                          : "the driver is unloaded between processes: starting takes "
                                            "seconds more, and settings are lost; "
                                            "times are warmed up and do not change",
                        "%s", card->persistence ? "on" : "off");
    if (card->pcie_generation >= 0) {
        const int narrow = card->pcie_width < card->pcie_most_width;
        environment_add(
            findings, "PCIe", narrow ? "note" : "fine",
            narrow ? "fewer lanes than the card has: uploads are slower; device times do not depend on it"
                   : "device times do not depend on it (an idle link may run at a lower generation)",
            "generation %d of %d, width %d of %d", card->pcie_generation, card->pcie_most_generation,
            card->pcie_width, card->pcie_most_width);
    }
}

/* NVML lists processes of the host's name space; in a container the own one may carry another number, so one unknown process that
 * holds little memory could be this one. Usage tells more than the list. */
static void add_neighbours(json_t *findings, const nvml_card *card)
{
    char list[512] = "";
    int others = 0;
    for (int i = 0; i < card->process_count; i++) {
        if (process_descends_from(card->processes[i].pid, getpid())) /* torch's server is ours, too */
            continue;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%u (%.0f MiB)", others ? ", " : "",
                 card->processes[i].pid, card->processes[i].memory_mib);
        others++;
    }
    if (card->process_count >= 0)
        environment_add(findings, "Other processes on the card", others ? "warning" : "fine",
                        others ? "they share SMs, memory bandwidth and power: times are too slow and vary"
                               : "the card is ours alone, as far as the driver shows",
                        "%s", others ? list : "none");
    if (card->busy_percent >= 0) {
        const int busy = card->busy_percent > 5;
        environment_add(findings, "Use of the card before measuring", busy ? "warning" : "fine",
                        busy ? "something else ran on it in the last second: see the processes"
                             : "nothing else ran on it in the last second",
                        "%d%%", card->busy_percent);
    }
}

void environment_add_card(json_t *findings, const assay_device_info *device)
{
    nvml_session session;
    nvml_card card;
    if (strcmp(device->kind, "cuda") != 0) {
        environment_add(findings, "Device", "note", "CPU times, never set against a GPU's",
                        "%s, %d worker threads", device->name, device->sm_count);
        return;
    }
    nvml_open(&session, device->uuid);
    const int known = nvml_read_card(&session, &card);
    add_identity(findings, device, &card);
    if (!known)
        environment_add(
            findings, "NVML", "warning",
            "clocks, power, temperature and slowdowns are unknown: an unstable card is not found out", "%s",
            session.library ? "does not know this card" : "not there");
    else {
        add_clocks(findings, &card);
        add_power(findings, &card);
        add_modes(findings, &card);
        add_neighbours(findings, &card);
    }
    nvml_close(&session);
}
