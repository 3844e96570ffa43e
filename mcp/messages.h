/* JSON-RPC 2.0 over lines: reading requests, writing answers. Knows no method. */
#ifndef ASSAY_MCP_MESSAGES_H
#define ASSAY_MCP_MESSAGES_H

#include <assay/status.h>
#include <jansson.h>

enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603
};
enum { RPC_MOST_BYTES = 16 << 20 }; /* of a message */

typedef struct rpc_reader {
    int fd;
    char *text; /* owned */
    size_t bytes, capacity;
    int ended, overflow; /* a line was longer than RPC_MOST_BYTES: it is dropped */
} rpc_reader;

/* Read what is there; call when poll() says so. */
void rpc_read(rpc_reader *r);
/* The next whole line, malloc'ed without its newline; NULL: none yet. *too_long: it was dropped for its length, and the text is "". */
char *rpc_next_line(rpc_reader *r, int *too_long);
void rpc_release(rpc_reader *r);

/* The id in a line that is not taken as JSON (an integer beyond 64 bits, half a surrogate pair): without it who asked would wait for ever. New
 * reference; NULL: none is found. */
json_t *rpc_find_id(const char *line);

/* Write an answer; `id` is borrowed (NULL: null), `result` is taken over. ASSAY_ERR_IO: nobody reads. */
assay_status rpc_answer(int fd, const json_t *id, json_t *result, assay_error *error);
assay_status rpc_refuse(int fd, const json_t *id, int code, const char *message, assay_error *error);

#endif
