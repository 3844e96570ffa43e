/* NVML loaded with dlopen: see nvml.h. Reads only; no function that changes a card's settings is even looked
 * up. */
#include "device/cuda/nvml.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

/* ISO C has no conversion from an object to a function pointer; POSIX guarantees it for dlsym. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void find_driver(nvml_session *session)
{
    int (*get_driver)(char *, unsigned) = NULL;
    find(session->library, "nvmlSystemGetDriverVersion", &get_driver);
    if (!get_driver || get_driver(session->driver, sizeof session->driver) != 0)
        session->driver[0] = '\0';
}

const char *nvml_library(void)
{
    const char *chosen = getenv("ASSAY_NVML_LIBRARY");
    return chosen && chosen[0] ? chosen : "libnvidia-ml.so.1";
}

void nvml_open(nvml_session *session, const char *uuid)
{
    memset(session, 0, sizeof *session);
    void *library = dlopen(nvml_library(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    int (*init)(void) = NULL;
    int (*get_handle)(const char *, void **) = NULL;
    find(library, "nvmlInit_v2", &init);
    find(library, "nvmlDeviceGetHandleByUUID", &get_handle);
    if (!init || !get_handle || init() != 0) {
        dlclose(library);
        return;
    }
    session->library = library;
    find(library, "nvmlShutdown", &session->shutdown);
    find(library, "nvmlDeviceGetClockInfo", &session->get_clock);
    find(library, "nvmlDeviceGetPowerUsage", &session->get_power);
    find(library, "nvmlDeviceGetTemperature", &session->get_temperature);
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", &session->get_reasons);
    if (!session->get_reasons) /* the name before driver 535 */
        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &session->get_reasons);
    find_driver(session);
    if (get_handle(uuid, &session->device) != 0)
        session->device = NULL;
}

void nvml_close(nvml_session *session)
{
    if (session->library && session->shutdown)
        session->shutdown();
    if (session->library)
        dlclose(session->library);
    memset(session, 0, sizeof *session);
}

static double read_clock(const nvml_session *session, int type)
{
    unsigned mhz = 0;
    return session->get_clock && session->get_clock(session->device, type, &mhz) == 0 ? (double)mhz : -1.0;
}

void nvml_read(const nvml_session *session, assay_device_health *health)
{
    *health = (assay_device_health){-1.0, -1.0, -1.0, -1.0, -1};
    if (!session->device)
        return;
    health->sm_mhz = read_clock(session, CLOCK_SM);
    health->memory_mhz = read_clock(session, CLOCK_MEMORY);
    unsigned value = 0;
    if (session->get_power && session->get_power(session->device, &value) == 0)
        health->power_w = value / 1000.0;
    if (session->get_temperature && session->get_temperature(session->device, SENSOR_GPU, &value) == 0)
        health->temperature_c = value;
    unsigned long long mask = 0;
    if (session->get_reasons && session->get_reasons(session->device, &mask) == 0)
        health->reasons = (int64_t)mask;
}
