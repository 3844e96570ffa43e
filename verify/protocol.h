/* Messages between the judge and the process that holds a kernel, one SOCK_SEQPACKET message each way a turn.
 *
 * The judge sends a list of steps; the worker does them in order, stops at the first that fails, and answers once. A worker knows steps,
 * bytes and addresses: no op, no expected output, no tolerance. Tensors travel through shared memory, whose descriptor the judge sends with
 * STEP_SHARE. Nothing that a worker sends is trusted but the bytes of its outputs, which are compared. */
#ifndef ASSAY_VERIFY_PROTOCOL_H
#define ASSAY_VERIFY_PROTOCOL_H

#include <assay/device.h>
#include <assay/op.h>

enum {
    PROTOCOL_MAGIC = 0x41535931,
    PROTOCOL_SOCKET = 0,        /* standard input: tools that start the worker hand it on */
    PROTOCOL_MOST_STEPS = 192,  /* in one message */
    PROTOCOL_MOST_TEXT = 16384, /* bytes that belong to the steps of one message */
    PROTOCOL_BUFFERS = 2 * ASSAY_MAX_TENSORS + 1
};

/* Buffers of device memory by number. */
enum { BUFFER_INPUT = 0, BUFFER_OUTPUT = ASSAY_MAX_TENSORS, BUFFER_WORKSPACE = 2 * ASSAY_MAX_TENSORS };

/* What a step uses: b buffer, o offset in it, n bytes, s offset in shared memory, v value, t text. */
typedef enum step_kind {
    STEP_LOAD,     /* n, t: a library's path and the op's name, each with its NUL */
    STEP_SHARE,    /* n: map that much of the memory that came with the message */
    STEP_ALLOCATE, /* b, n: the answer has the address */
    STEP_TENSOR,   /* b, o, n, v: the buffer's tensor is these n bytes; kernels may not write it if v is 1 */
    STEP_FREE,     /* all buffers */
    STEP_UPLOAD,   /* b, o, n, s */
    STEP_REPEAT,   /* b, o, n, v: the v bytes at o become n bytes by copies */
    STEP_FILL,     /* b, o, n, v: the byte */
    STEP_DOWNLOAD, /* b, o, n, s */
    STEP_PEEK,     /* the same without waiting for the stream, 5 ms after the step before */
    STEP_ORDER,    /* v, o: 0 forward, 1 reversed, 2 random with seed o; CPU device only */
    STEP_BLOCK,    /* hold the stream back */
    STEP_UNBLOCK,
    STEP_RUN, /* n, t: the argument struct. The answer has what the kernel returned */
    STEP_SYNC_STREAM,
    STEP_SYNC_ALL,
    STEP_FREE_BYTES, /* the answer's value */
    STEP_SAY         /* n, t: a line on standard output, for the reports of a tool around the worker */
} step_kind;

typedef struct protocol_step {
    uint32_t kind;
    int32_t buffer;
    int64_t offset, bytes, shared;
    uint64_t value;
} protocol_step;

typedef struct protocol_header {
    uint32_t magic, step_count, text_bytes, unused;
} protocol_header;

typedef struct protocol_answer {
    uint32_t magic;
    int32_t done;       /* steps that worked */
    int32_t status;     /* of the step behind them, or ASSAY_OK */
    int32_t returned;   /* by the kernel's last run */
    int32_t took_order; /* assay_device_took_order() since the answer before */
    int64_t value;
    uint64_t address[PROTOCOL_BUFFERS];
    char message[512];
} protocol_answer;

/* Sent once, unasked, when the device is open or could not be opened. */
typedef struct protocol_hello {
    uint32_t magic;
    int32_t status;
    assay_device_info info;
    char message[512];
} protocol_hello;

#endif
