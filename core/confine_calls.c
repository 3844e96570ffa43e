/* seccomp: which calls of the system a program may not make; see confine.h. */
#include "core/confine_internal.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* A filter that begins as this one's first four and ends with an allowance: refuses what is listed. */
static unsigned begin_filter(struct sock_filter *code)
{
    unsigned n = 0;
#ifdef OWN_ARCHITECTURE
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
#endif
    return n;
}

static unsigned refuse(struct sock_filter *code, unsigned n, unsigned call, int error_number)
{
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error_number);
    return n;
}

static int install(struct sock_filter *code, unsigned n)
{
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {.len = (unsigned short)n, .filter = code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* The flags of clone3() lie in memory, where a filter does not see them; libraries go on with clone(). */
int confine_to_threads(void)
{
#ifdef OWN_ARCHITECTURE
    enum { MOST = 24, CLONE3 = 435 };
    struct sock_filter code[MOST];
    unsigned n = begin_filter(code);
#ifdef SYS_fork
    n = refuse(code, n, SYS_fork, EPERM);
    n = refuse(code, n, SYS_vfork, EPERM);
#endif
    n = refuse(code, n, CLONE3, ENOSYS);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return install(code, n);
#else
    return 0;
#endif
}

int confine_calls(int own_processes)
{
#ifdef OWN_ARCHITECTURE
    static const unsigned refused[] = {SYS_ptrace,
                                       SYS_process_vm_readv,
                                       SYS_process_vm_writev,
                                       SYS_mount,
                                       SYS_umount2,
                                       SYS_pivot_root,
                                       SYS_chroot,
                                       SYS_setns,
                                       SYS_unshare,
                                       SYS_bpf,
                                       SYS_perf_event_open,
                                       SYS_keyctl,
                                       SYS_add_key,
                                       SYS_request_key,
                                       425 /* io_uring_setup */,
                                       424 /* pidfd_send_signal */,
                                       438 /* pidfd_getfd */};
    static const unsigned signals[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
    enum { MOST = 64 };
    struct sock_filter code[MOST];
    unsigned n = begin_filter(code);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        n = refuse(code, n, refused[i], EPERM);
    for (size_t i = 0; i < sizeof signals / sizeof *signals && !own_processes; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, signals[i], 0, 4);
        code[n++] =
            (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    return install(code, n);
#else
    (void)own_processes;
    return 0;
#endif
}
