/* A second stand-in for NVML, of a card whose settings may be read and whose clock may be locked. What happens to the clock is appended to
 * the file $FAKE_NVML_LOG; $FAKE_NVML_REFUSE is the code with which locking is refused; with $FAKE_NVML_DIE the process dies when it has locked. Loaded through $ASSAY_NVML_LIBRARY. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int code);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlSystemGetNVMLVersion(char *version, unsigned length);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned length);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetApplicationsClock(void *device, int type, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementLimitConstraints(void *device, unsigned *least, unsigned *most);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius);
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *mask);
int nvmlDeviceGetPersistenceMode(void *device, int *on);
int nvmlDeviceGetComputeMode(void *device, int *mode);
int nvmlDeviceGetEccMode(void *device, int *now, int *pending);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation);
int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation);
int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *width);
int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *width);
struct used;
int nvmlDeviceGetUtilizationRates(void *device, struct used *out);
struct process;
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *list);
int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least, unsigned most);
int nvmlDeviceResetGpuLockedClocks(void *device);

struct used {
    unsigned gpu, memory;
};
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

enum { DONE = 0, INVALID = 2, NOT_FOUND = 6, TOO_SMALL = 7 };
static int card;

/* A setting of the test, or what a healthy H100 would say. */
static unsigned setting(const char *name, unsigned usual)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 0) : usual;
}

static int give(void *device, unsigned *out, unsigned value)
{
    *out = value;
    return device == &card ? DONE : INVALID;
}

static void note(const char *format, unsigned value)
{
    FILE *log = getenv("FAKE_NVML_LOG") ? fopen(getenv("FAKE_NVML_LOG"), "a") : NULL;
    if (!log)
        return;
    fprintf(log, format, value);
    fclose(log);
}

int nvmlInit_v2(void)
{
    return DONE;
}

int nvmlShutdown(void)
{
    return DONE;
}

const char *nvmlErrorString(int code)
{
    return code == 4 ? "Insufficient Permissions" : code == 3 ? "Not Supported" : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    snprintf(version, length, "999.88.77");
    return DONE;
}

int nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
    snprintf(version, length, "13.999.88");
    return DONE;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = &card;
    return strcmp(uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef") == 0 ? DONE : NOT_FOUND;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length)
{
    snprintf(name, length, "Invented Card");
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    return give(device, mhz, type == 1 ? 345 : 2619);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    return give(device, mhz, type == 1 ? 1980 : 2619);
}

int nvmlDeviceGetApplicationsClock(void *device, int type, unsigned *mhz)
{
    return give(device, mhz, type == 1 ? setting("FAKE_NVML_APPLICATION_MHZ", 1980) : 2619);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return give(device, milliwatts, 71000);
}

int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts)
{
    return give(device, milliwatts, 1000 * setting("FAKE_NVML_LIMIT_W", 700));
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts)
{
    return give(device, milliwatts, 700000);
}

int nvmlDeviceGetPowerManagementLimitConstraints(void *device, unsigned *least, unsigned *most)
{
    *least = 200000;
    return give(device, most, 700000);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    return give(device, celsius, sensor == 0 ? setting("FAKE_NVML_CELSIUS", 41) : 0);
}

int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius)
{
    return give(device, celsius, which == 1 ? 90 : 95);
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *mask)
{
    *mask = setting("FAKE_NVML_REASONS", 0x1);
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetPersistenceMode(void *device, int *on)
{
    *on = (int)setting("FAKE_NVML_PERSISTENCE", 1);
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetComputeMode(void *device, int *mode)
{
    *mode = (int)setting("FAKE_NVML_COMPUTE_MODE", 0);
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetEccMode(void *device, int *now, int *pending)
{
    *now = *pending = 1;
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
    *pending = 0;
    return give(device, now, setting("FAKE_NVML_MIG", 0));
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation)
{
    return give(device, generation, 5);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation)
{
    return give(device, generation, 5);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *width)
{
    return give(device, width, 16);
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *width)
{
    return give(device, width, 16);
}

int nvmlDeviceGetUtilizationRates(void *device, struct used *out)
{
    out->gpu = setting("FAKE_NVML_BUSY", 0);
    out->memory = 0;
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *list)
{
    const unsigned there = setting("FAKE_NVML_PROCESSES", 0);
    if (*count < there)
        return TOO_SMALL;
    for (unsigned i = 0; i < there; i++)
        list[i] =
            (struct process){setting("FAKE_NVML_PROCESS", 4000) + i, (unsigned long long)512 << 20, ~0u, ~0u};
    *count = there;
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least, unsigned most)
{
    const unsigned refusal = setting("FAKE_NVML_REFUSE", 0);
    if (refusal || device != &card || least != most)
        return refusal ? (int)refusal : INVALID;
    note("lock %u\n", most);
    if (setting("FAKE_NVML_DIE", 0))
        raise(SIGKILL);
    return DONE;
}

int nvmlDeviceResetGpuLockedClocks(void *device)
{
    note("reset %u\n", 0);
    return device == &card ? DONE : INVALID;
}
