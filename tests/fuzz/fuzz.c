/* See fuzz.h. */
#include "fuzz.h"
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512], file[64];
static int descriptor = -1;

void fuzz_fail(const char *where, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", where, line, condition);
    abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(file, sizeof file, "/proc/self/fd/%d", descriptor);
    }
    FUZZ_CHECK(descriptor >= 0 && ftruncate(descriptor, 0) == 0 &&
               pwrite(descriptor, data, size, 0) == (ssize_t)size);
    return file;
}

static int remove_item(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_item, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/assay-fuzz-XXXXXX", base ? base : "/tmp");
        FUZZ_CHECK(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
    }
    return folder;
}

const char *fuzz_link(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        FUZZ_CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FUZZ_CHECK(symlink(file, path) == 0 || errno == EEXIST);
    return path;
}

/* The last freed blocks, whose pages cannot be read. */
static struct {
    void *start;
    size_t bytes;
} freed[4096];
static unsigned next_freed;

static void *guarded_malloc(size_t bytes)
{
    const size_t page = 4096, whole = (bytes + 16 + page - 1) / page * page;
    size_t *block = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    block[0] = whole;
    return (char *)block + 16;
}

static void guarded_free(void *block)
{
    if (block == NULL)
        return;
    size_t *start = (size_t *)((char *)block - 16);
    const size_t bytes = start[0];
    const unsigned place = next_freed++ % (sizeof freed / sizeof *freed);
    if (freed[place].start)
        munmap(freed[place].start, freed[place].bytes);
    freed[place].start = start;
    freed[place].bytes = bytes;
    FUZZ_CHECK(mprotect(start, bytes, PROT_NONE) == 0);
}

void fuzz_guard_json(void)
{
    static int guarded;
    if (!guarded)
        json_set_alloc_funcs(guarded_malloc, guarded_free);
    guarded = 1;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
