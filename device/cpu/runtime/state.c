/* What outlives a launch: options, the first launch error, and whether a kernel showed the order of its threads. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static assay_simt_options options;
static char error_message[512];

static atomic_bool order_shown;

void simt_set_options(const assay_simt_options *given)
{
    pthread_mutex_lock(&lock);
    options = *given;
    pthread_mutex_unlock(&lock);
}

assay_simt_options simt_options(void)
{
    pthread_mutex_lock(&lock);
    const assay_simt_options copy = options;
    pthread_mutex_unlock(&lock);
    return copy;
}

assay_status simt_launch_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&lock);
    if (!error_message[0])
        vsnprintf(error_message, sizeof error_message, format, list);
    pthread_mutex_unlock(&lock);
    va_end(list);
    return ASSAY_ERR_DEVICE;
}

assay_status simt_take_error(char *message, size_t message_bytes)
{
    pthread_mutex_lock(&lock);
    const assay_status status = error_message[0] ? ASSAY_ERR_DEVICE : ASSAY_OK;
    if (message_bytes)
        snprintf(message, message_bytes, "%s", error_message);
    error_message[0] = '\0';
    pthread_mutex_unlock(&lock);
    return status;
}

void simt_note_order_shown(void)
{
    atomic_store(&order_shown, true);
}

int simt_take_order_shown(void)
{
    return atomic_exchange(&order_shown, false);
}
