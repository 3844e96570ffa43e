/* Status descriptions and the first-message-wins error record. */
#include "core/utf8.h"
#include <assay/status.h>
#include <stdarg.h>
#include <stdio.h>

const char *assay_status_describe(assay_status status)
{
    switch (status) {
    case ASSAY_OK:
        return "success";
    case ASSAY_ERR_INVALID:
        return "invalid argument";
    case ASSAY_ERR_UNSUPPORTED:
        return "not supported";
    case ASSAY_ERR_NO_MEMORY:
        return "out of memory";
    case ASSAY_ERR_IO:
        return "input/output error";
    case ASSAY_ERR_FORMAT:
        return "broken file";
    case ASSAY_ERR_DEVICE:
        return "device error";
    case ASSAY_ERR_ENVIRONMENT:
        return "something needed is missing";
    case ASSAY_ERR_CHECK:
        return "check failed";
    }
    return "unknown status";
}

int assay_status_exit(assay_status status)
{
    switch (status) {
    case ASSAY_OK:
        return ASSAY_EXIT_OK;
    case ASSAY_ERR_DEVICE:
    case ASSAY_ERR_CHECK:
        return ASSAY_EXIT_CHECK;
    case ASSAY_ERR_INVALID:
    case ASSAY_ERR_UNSUPPORTED:
    case ASSAY_ERR_FORMAT:
        return ASSAY_EXIT_USAGE;
    case ASSAY_ERR_NO_MEMORY:
    case ASSAY_ERR_IO:
    case ASSAY_ERR_ENVIRONMENT:
        return ASSAY_EXIT_ENVIRONMENT;
    }
    return ASSAY_EXIT_USAGE;
}

assay_status assay_error_set(assay_error *error, assay_status status, const char *format, ...)
{
    if (error != NULL && error->status == ASSAY_OK) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
        utf8_make_line(error->message); /* names and texts of files are in it */
    }
    return status;
}
