/* Status codes and the caller-owned error record shared by every part of Assay.
 *
 * A fallible function returns an assay_status and delivers results through out-parameters. Where a
 * message helps, it also takes an `assay_error *` that may be NULL; the first message wins, because
 * the first failure is the cause and later ones are its consequences. */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_status {
    ASSAY_OK = 0,
    ASSAY_ERR_INVALID,     /* wrong use: bad argument, unknown name, contradictory op.json */
    ASSAY_ERR_UNSUPPORTED, /* a valid request that this kernel, dtype or device does not offer */
    ASSAY_ERR_NO_MEMORY,   /* host or device memory exhausted */
    ASSAY_ERR_IO,          /* a file could not be read or written */
    ASSAY_ERR_FORMAT,      /* a file was read but its content is broken */
    ASSAY_ERR_DEVICE,      /* the device reported an error (launch failure, sync failure) */
    ASSAY_ERR_ENVIRONMENT, /* something needed is missing: GPU, compiler, permission */
    ASSAY_ERR_CHECK        /* the program worked and a check failed: wrong kernel, regression */
} assay_status;

/* Exit statuses of all Assay programs; the codes never overlap in meaning. */
enum assay_exit {
    ASSAY_EXIT_OK = 0,          /* done */
    ASSAY_EXIT_CHECK = 1,       /* a check failed: a wrong kernel, a confirmed regression */
    ASSAY_EXIT_USAGE = 2,       /* wrong use: unknown name, bad op.json, bad option */
    ASSAY_EXIT_ENVIRONMENT = 3, /* no GPU, no compiler, no permission, disk full */
    ASSAY_EXIT_SKIPPED = 77     /* nothing was run, and the reason was printed */
};

/* First failure of a call chain. Zero-initialise before use. */
typedef struct assay_error {
    assay_status status;
    char message[512]; /* one line: what, where, what to do; no newline */
} assay_error;

/* Short constant description of a status, e.g. "invalid argument". Never NULL. */
const char *assay_status_describe(assay_status status);

/* Exit status that a program should end with after `status`. */
int assay_status_exit(assay_status status);

/* Store `status` and a printf-style one-line message unless an earlier message is there already.
 * `error` may be NULL. Returns `status`, so that a failure reads `return assay_error_set(...)`. */
assay_status assay_error_set(assay_error *error, assay_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
