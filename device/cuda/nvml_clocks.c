/* See nvml_clocks.h. */
#include "device/cuda/nvml_clocks.h"
#include <dlfcn.h>
#include <string.h>

enum { NO_PERMISSION = 4, CLOCK_SM = 1 };

static void find(const nvml_session *s, const char *name, void *function)
{
    void *symbol = s->library ? dlsym(s->library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

static assay_status explain(const nvml_session *s, const char *what, int code, assay_error *error)
{
    const char *(*describe)(int) = NULL;
    if (code == 0)
        return ASSAY_OK;
    find(s, "nvmlErrorString", &describe);
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: NVML answers %d (%s)%s", what, code,
                           describe ? describe(code) : "unknown",
                           code == NO_PERMISSION ? "; it needs root, or an administrator's permission" : "");
}

static assay_status need_card(const nvml_session *s, const char *what, int can, assay_error *error)
{
    if (!s->library)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: NVML is not there (%s)", what,
                               nvml_library());
    if (!s->device)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: NVML does not know the card", what);
    if (!can)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s: this driver cannot do it", what);
    return ASSAY_OK;
}

/* 0: unknown */
static unsigned highest_clock(const nvml_session *s)
{
    int (*ask)(void *, int, unsigned *) = NULL;
    unsigned mhz = 0;
    find(s, "nvmlDeviceGetMaxClockInfo", &ask);
    return ask && ask(s->device, CLOCK_SM, &mhz) == 0 ? mhz : 0;
}

assay_status nvml_lock_clocks(const nvml_session *s, unsigned mhz, assay_error *error)
{
    static const char what[] = "locking the clock";
    int (*lock)(void *, unsigned, unsigned) = NULL;
    find(s, "nvmlDeviceSetGpuLockedClocks", &lock);
    const assay_status status = need_card(s, what, lock != NULL, error);
    const unsigned most = status == ASSAY_OK ? highest_clock(s) : 0;
    if (most > 0 &&
        mhz > most) /* the driver would lock a lower one, and the result name a clock that never was */
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %u MHz are more than the card's %u MHz", what,
                               mhz, most);
    return status == ASSAY_OK ? explain(s, what, lock(s->device, mhz, mhz), error) : status;
}

assay_status nvml_restore_clocks(const nvml_session *s, assay_error *error)
{
    static const char what[] = "restoring the clocks";
    int (*reset)(void *) = NULL;
    find(s, "nvmlDeviceResetGpuLockedClocks", &reset);
    const assay_status status = need_card(s, what, reset != NULL, error);
    return status == ASSAY_OK ? explain(s, what, reset(s->device), error) : status;
}
