/* assay-verify-worker: the process that a kernel runs in while it is verified. It gets inputs and hands back bytes, by the steps of
 * protocol.h that arrive on standard input; it holds nothing else. Started by worker.c, not by hand. */
#include "verify/serve.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's own reads of standard input must not find the judge's messages. */
static int take_socket(void)
{
    const int socket = fcntl(PROTOCOL_SOCKET, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        dup2(nothing, PROTOCOL_SOCKET);
        close(nothing);
    }
    return socket;
}

int main(int argc, char **argv)
{
    int type = 0;
    socklen_t bytes = sizeof type;
    if (argc != 2 || getsockopt(PROTOCOL_SOCKET, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0 ||
        type != SOCK_SEQPACKET) {
        fprintf(stderr,
                "assay-verify-worker: started by assay verify, with a socket as standard input and the "
                "device's kind as its argument\n");
        return ASSAY_EXIT_USAGE;
    }
    return serve(take_socket(), argv[1], NULL);
}
