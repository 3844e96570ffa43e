/* See nvml_card.h. Signatures are those of NVIDIA's NVML reference; each function is looked up when it is asked, since drivers differ in
 * what they have. */
#include "device/cuda/nvml_card.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, THRESHOLD_SLOWDOWN = 1, SENSOR_GPU = 0 };

static void find(const nvml_session *s, const char *name, void *function)
{
    void *symbol = dlsym(s->library, name); /* see nvml.c for the copy */
    memcpy(function, &symbol, sizeof symbol);
}

static int ask(const nvml_session *s, const char *name)
{
    int (*function)(void *, unsigned *) = NULL;
    unsigned value = 0;
    find(s, name, &function);
    return function && function(s->device, &value) == 0 ? (int)value : -1;
}

static int ask_of(const nvml_session *s, const char *name, int which)
{
    int (*function)(void *, int, unsigned *) = NULL;
    unsigned value = 0;
    find(s, name, &function);
    return function && function(s->device, which, &value) == 0 ? (int)value : -1;
}

static void ask_pair(const nvml_session *s, const char *name, int *first, int *second)
{
    int (*function)(void *, unsigned *, unsigned *) = NULL;
    unsigned a = 0, b = 0;
    find(s, name, &function);
    const int known = function && function(s->device, &a, &b) == 0;
    *first = known ? (int)a : -1;
    *second = known ? (int)b : -1;
}

static double watts(int milliwatts)
{
    return milliwatts < 0 ? -1.0 : milliwatts * 1e-3;
}

static void read_names(const nvml_session *s, nvml_card *card)
{
    int (*get_name)(void *, char *, unsigned) = NULL;
    int (*get_version)(char *, unsigned) = NULL;
    find(s, "nvmlDeviceGetName", &get_name);
    find(s, "nvmlSystemGetNVMLVersion", &get_version);
    if (!get_name || get_name(s->device, card->name, sizeof card->name) != 0)
        card->name[0] = '\0';
    if (!get_version || get_version(card->nvml, sizeof card->nvml) != 0)
        card->nvml[0] = '\0';
    snprintf(card->driver, sizeof card->driver, "%s", s->driver);
}

static void read_clocks(const nvml_session *s, nvml_card *card)
{
    card->sm_mhz = ask_of(s, "nvmlDeviceGetClockInfo", CLOCK_SM);
    card->memory_mhz = ask_of(s, "nvmlDeviceGetClockInfo", CLOCK_MEMORY);
    card->most_sm_mhz = ask_of(s, "nvmlDeviceGetMaxClockInfo", CLOCK_SM);
    card->most_memory_mhz = ask_of(s, "nvmlDeviceGetMaxClockInfo", CLOCK_MEMORY);
    card->set_sm_mhz = ask_of(s, "nvmlDeviceGetApplicationsClock", CLOCK_SM);
    card->set_memory_mhz = ask_of(s, "nvmlDeviceGetApplicationsClock", CLOCK_MEMORY);
}

static void read_power(const nvml_session *s, nvml_card *card)
{
    int least, most;
    card->power_w = watts(ask(s, "nvmlDeviceGetPowerUsage"));
    card->power_limit_w = watts(ask(s, "nvmlDeviceGetPowerManagementLimit"));
    card->power_default_w = watts(ask(s, "nvmlDeviceGetPowerManagementDefaultLimit"));
    ask_pair(s, "nvmlDeviceGetPowerManagementLimitConstraints", &least, &most);
    card->power_least_w = watts(least);
    card->power_most_w = watts(most);
    card->temperature_c = ask_of(s, "nvmlDeviceGetTemperature", SENSOR_GPU);
    card->slowdown_c = ask_of(s, "nvmlDeviceGetTemperatureThreshold", THRESHOLD_SLOWDOWN);
}

static void read_modes(const nvml_session *s, nvml_card *card)
{
    int ignored;
    card->persistence = ask(s, "nvmlDeviceGetPersistenceMode");
    card->compute_mode = ask(s, "nvmlDeviceGetComputeMode");
    ask_pair(s, "nvmlDeviceGetEccMode", &card->ecc, &card->ecc_pending);
    ask_pair(s, "nvmlDeviceGetMigMode", &card->mig, &ignored);
    card->pcie_generation = ask(s, "nvmlDeviceGetCurrPcieLinkGeneration");
    card->pcie_most_generation = ask(s, "nvmlDeviceGetMaxPcieLinkGeneration");
    card->pcie_width = ask(s, "nvmlDeviceGetCurrPcieLinkWidth");
    card->pcie_most_width = ask(s, "nvmlDeviceGetMaxPcieLinkWidth");
    struct {
        unsigned gpu, memory;
    } used;
    int (*get_used)(void *, void *) = NULL;
    find(s, "nvmlDeviceGetUtilizationRates", &get_used);
    card->busy_percent = get_used && get_used(s->device, &used) == 0 ? (int)used.gpu : -1;
}

static void add_processes(const nvml_session *s, const char *name, nvml_card *card)
{
    struct {
        unsigned pid;
        unsigned long long bytes;
        unsigned gpu_instance, compute_instance;
    } found[NVML_CARD_PROCESSES];
    unsigned count = NVML_CARD_PROCESSES;
    int (*list)(void *, unsigned *, void *) = NULL;
    find(s, name, &list);
    if (!list || list(s->device, &count, found) != 0)
        return;
    card->process_count = card->process_count < 0 ? 0 : card->process_count;
    for (unsigned i = 0; i < count && card->process_count < NVML_CARD_PROCESSES; i++)
        card->processes[card->process_count++] =
            (nvml_process){found[i].pid, found[i].bytes == ~0ull ? -1.0 : (double)found[i].bytes / 1048576.0};
}

int nvml_read_card(const nvml_session *s, nvml_card *card)
{
    assay_device_health health;
    memset(card, 0xff, sizeof *card); /* whole numbers: -1 */
    card->name[0] = card->driver[0] = card->nvml[0] = '\0';
    card->power_w = card->power_limit_w = card->power_default_w = card->power_least_w = card->power_most_w =
        -1.0;
    if (!s->device)
        return 0;
    read_names(s, card);
    read_clocks(s, card);
    read_power(s, card);
    read_modes(s, card);
    nvml_read(s, &health);
    card->reasons = health.reasons;
    add_processes(s, "nvmlDeviceGetComputeRunningProcesses_v3", card);
    add_processes(s, "nvmlDeviceGetGraphicsRunningProcesses_v3", card);
    return 1;
}
