/* A stand-in for libnvidia-ml.so.1 with one invented card. It has only the functions that reading needs:
 * whoever looked up one that changes a setting would not find it. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *mask);

enum { DONE = 0, INVALID = 2, NOT_FOUND = 6 };
static int card, users;

int nvmlInit_v2(void)
{
    users++;
    return DONE;
}

int nvmlShutdown(void)
{
    users--;
    return users >= 0 ? DONE : INVALID;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    if (length < 10)
        return INVALID;
    strcpy(version, "999.88.77");
    return DONE;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    if (strcmp(uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef") != 0)
        return NOT_FOUND;
    *device = &card;
    return DONE;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    if (device != &card || (type != 1 && type != 2)) /* 1: SM, 2: memory */
        return INVALID;
    *mhz = type == 1 ? 1980 : 2619;
    return DONE;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = 653500;
    return device == &card ? DONE : INVALID;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    *celsius = 61;
    return device == &card && sensor == 0 ? DONE : INVALID;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device,
                                              unsigned long long *mask) /* the name before driver 535 */
{
    *mask = 0x4;
    return device == &card ? DONE : INVALID;
}
