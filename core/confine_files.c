/* Landlock: which files a program may read, write and start; see confine.h. */
#include "core/confine_internal.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers and structs of the kernel's interface, for systems whose headers are older. */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, RULE_PATH_BENEATH = 1 };
enum { EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, REMOVE_DIR = 1 << 4 };
enum { REMOVE_FILE = 1 << 5, MAKE_DIR = 1 << 7, MAKE_FILE = 1 << 8, IOCTL_DEV = 1 << 15 };
enum { ALL_OF_ABI_1 = (1 << 13) - 1, REFER = 1 << 13, TRUNCATE = 1 << 14 };

struct ruleset {
    uint64_t handled_fs;
};
struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static void allow(int ruleset, const char *path, uint64_t rights)
{
    struct stat found;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &found) == 0 && !S_ISDIR(found.st_mode))
        rights &= ~(uint64_t)READ_DIR;
    const struct path_rule rule = {.allowed = rights, .parent = fd};
    syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

static void allow_all(int ruleset, const char *const *paths, uint64_t rights)
{
    for (; paths && *paths; paths++)
        allow(ruleset, *paths, rights);
}

/* For a compiler nothing of /etc and /proc but what the linker needs: `#include` and .incbin reach all that it may read. */
static void allow_system(int ruleset, const confine_rules *rules)
{
    static const char *const folders[] = {"/usr",
                                          "/lib",
                                          "/lib32",
                                          "/lib64",
                                          "/opt",
                                          "/nix",
                                          "/etc/ld.so.cache",
                                          "/etc/ld.so.conf",
                                          "/etc/ld.so.conf.d",
                                          NULL};
    static const char *const programs[] = {"/bin", "/etc/alternatives", NULL};
    static const char *const of_running[] = {"/proc",       "/sys",           "/etc/nsswitch.conf",
                                             "/etc/passwd", "/etc/localtime", "/run/nvidia-persistenced",
                                             NULL};
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", NULL};
    const uint64_t run = rules->starts_programs ? EXECUTE : 0;
    allow_all(ruleset, folders, READ_FILE | READ_DIR | run);
    allow_all(ruleset, rules->readable, READ_FILE | READ_DIR | run);
    allow_all(ruleset, rules->starts_programs ? programs : of_running, READ_FILE | READ_DIR | run);
    allow_all(ruleset, loaders, READ_FILE | EXECUTE);
}

int confine_files(const confine_rules *rules, const char *program)
{
    const long abi = syscall(CREATE_RULESET, NULL, 0, 1);
    if (abi < 1)
        return 0;
    const uint64_t device = abi >= 5 ? IOCTL_DEV : 0, truncate = abi >= 3 ? TRUNCATE : 0;
    const struct ruleset attributes = {.handled_fs =
                                           ALL_OF_ABI_1 | (abi >= 2 ? REFER : 0u) | truncate | device};
    const int ruleset = (int)syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return 0;
    allow_system(ruleset, rules);
    if (program)
        allow(ruleset, program, READ_FILE | EXECUTE);
    if (rules->starts_programs)
        allow(ruleset, "/dev/null", READ_FILE | WRITE_FILE);
    else
        allow(ruleset, "/dev", READ_FILE | READ_DIR | WRITE_FILE | device);
    static const char *const of_gpu[] = {"/proc/self", "/dev/shm", NULL};
    const uint64_t write =
        READ_FILE | READ_DIR | WRITE_FILE | MAKE_FILE | REMOVE_FILE | MAKE_DIR | REMOVE_DIR | truncate;
    allow_all(ruleset, rules->writable, write);
    allow_all(ruleset, rules->gpu ? of_gpu : NULL, write);
    const int done = syscall(RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return done;
}
