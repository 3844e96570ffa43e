/* The name of a kernel from the address of its function: a file-local kernel is in no dynamic symbol table, so the module's file
 * is read. Only for reports; nothing here is fast. */
#include "device/cpu/runtime/simt.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The function of the ELF image that holds the address `at` (relative to the load address), into `out`. */
static bool find_symbol(const char *image, size_t bytes, uintptr_t at, char *out, size_t out_bytes)
{
    const ElfW(Ehdr) *header = (const void *)image;
    if (bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shoff + (size_t)header->e_shnum * sizeof(ElfW(Shdr)) > bytes)
        return false;
    const ElfW(Shdr) *sections = (const void *)(image + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_offset + sections[i].sh_size > bytes)
            continue;
        const ElfW(Sym) *symbols = (const void *)(image + sections[i].sh_offset);
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++) {
            if ((symbols[s].st_info & 0xf) != STT_FUNC || at < symbols[s].st_value ||
                at >= symbols[s].st_value + symbols[s].st_size)
                continue;
            snprintf(out, out_bytes, "%s", names + symbols[s].st_name);
            return true;
        }
    }
    return false;
}

/* The file's bytes; NULL if it cannot be read. Unmap them. */
static void *map_file(const char *path, size_t *bytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *image = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        *bytes = (size_t)status.st_size;
        image = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0)
        close(fd);
    return image == MAP_FAILED ? NULL : image;
}

static bool find_in_file(const char *path, uintptr_t at, char *out, size_t out_bytes)
{
    size_t bytes;
    void *image = map_file(path, &bytes);
    const bool found = image && find_symbol(image, bytes, at, out, out_bytes);
    if (image)
        munmap(image, bytes);
    return found;
}

/* "void softmax<float>(float const*, int)" becomes "softmax<float>": the parameters and the return type go. */
static void shorten(char *name)
{
    const size_t length = strlen(name);
    if (length && name[length - 1] == ')') {
        int depth = 0;
        for (size_t i = length; i-- > 0;) {
            depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
            if (depth == 0) {
                name[i] = '\0';
                break;
            }
        }
    }
    int depth = 0;
    char *start = name;
    for (char *c = name; *c; c++) {
        depth += (*c == '<' || *c == '(') ? 1 : (*c == '>' || *c == ')') ? -1 : 0;
        if (*c == ' ' && depth == 0)
            start = c + 1;
    }
    memmove(name, start, strlen(start) + 1);
}

static void demangle_plainly(char *name, size_t name_bytes)
{
    typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    demangle_fn function = NULL;
    if (library)
        *(void **)&function = dlsym(library, "__cxa_demangle");
    int status = -1;
    char *plain = function ? function(name, NULL, NULL, &status) : NULL;
    if (status == 0 && plain) {
        snprintf(name, name_bytes, "%s", plain);
    }
    free(plain);
}

static void demangle(char *name, size_t name_bytes)
{
    char before[512];
    snprintf(before, sizeof before, "%s", name);
    demangle_plainly(name, name_bytes);
    if (strcmp(before, name) != 0)
        shorten(name);
}

/* ---- static shared memory ---- */

typedef struct shared_function { /* what the __shared__ arrays of a function take */
    char name[256];
    size_t bytes;
} shared_function;
enum { MOST_SHARED_FUNCTIONS = 256 };

/* "kernel(float*)::tile" belongs to "kernel(float*)"; a name without scope to the whole file. */
static void count_array(shared_function *functions, int *count, const char *symbol, size_t bytes)
{
    char name[512];
    snprintf(name, sizeof name, "%s", symbol);
    demangle_plainly(name, sizeof name);
    char *scope = NULL;
    for (char *at = name; (at = strstr(at, "::")) != NULL; at += 2)
        scope = at;
    if (scope == NULL)
        return;
    *scope = '\0';
    int i = 0;
    while (i < *count && strncmp(functions[i].name, name, sizeof functions[i].name - 1) != 0)
        i++;
    if (i == MOST_SHARED_FUNCTIONS)
        return;
    if (i == *count)
        snprintf(functions[(*count)++].name, sizeof functions[i].name, "%.255s", name);
    functions[i].bytes += bytes;
}

const void *simt_module_of(const void *kernel)
{
    Dl_info info;
    return dladdr(kernel, &info) ? info.dli_fbase : NULL;
}

size_t simt_most_static_shared(const void *kernel)
{
    Dl_info info;
    size_t bytes = 0, most = 0;
    void *image = dladdr(kernel, &info) && info.dli_fname ? map_file(info.dli_fname, &bytes) : NULL;
    shared_function *functions = image ? calloc(MOST_SHARED_FUNCTIONS, sizeof *functions) : NULL;
    const ElfW(Ehdr) *header = image;
    int count = 0;
    if (functions && bytes >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_shoff + (size_t)header->e_shnum * sizeof(ElfW(Shdr)) <= bytes) {
        const ElfW(Shdr) *sections = (const void *)((const char *)image + header->e_shoff);
        for (unsigned i = 0; i < header->e_shnum; i++) {
            if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_offset + sections[i].sh_size > bytes)
                continue;
            const ElfW(Sym) *symbols = (const void *)((const char *)image + sections[i].sh_offset);
            const char *names = (const char *)image + sections[sections[i].sh_link].sh_offset;
            for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++)
                if ((symbols[s].st_info & 0xf) == STT_TLS && symbols[s].st_shndx != SHN_UNDEF)
                    count_array(functions, &count, names + symbols[s].st_name, symbols[s].st_size);
        }
    }
    for (int i = 0; i < count; i++)
        most = functions[i].bytes > most ? functions[i].bytes : most;
    free(functions);
    if (image)
        munmap(image, bytes);
    return most;
}

/* ---- names for reports ---- */

void simt_kernel_name(const void *kernel, char *out, size_t out_bytes)
{
    Dl_info info;
    if (!dladdr(kernel, &info) || !info.dli_fname) {
        snprintf(out, out_bytes, "at %p", kernel);
        return;
    }
    const uintptr_t offset = (uintptr_t)kernel - (uintptr_t)info.dli_fbase;
    if (info.dli_sname && info.dli_saddr == kernel) {
        snprintf(out, out_bytes, "%s", info.dli_sname);
    } else if (!find_in_file(info.dli_fname, offset, out, out_bytes) &&
               !find_in_file(info.dli_fname, (uintptr_t)kernel, out,
                             out_bytes)) { /* a program at fixed addresses */
        snprintf(out, out_bytes, "%s+0x%lx", simt_file_name(info.dli_fname), (unsigned long)offset);
        return;
    }
    demangle(out, out_bytes);
}

const char *simt_file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

void simt_config_name(const assay_simt_launch_config *config, char *out, size_t out_bytes)
{
    if (config->name)
        snprintf(out, out_bytes, "%s", config->name);
    else
        simt_kernel_name(config->kernel, out, out_bytes);
}

/* addr2line prints the innermost inlined function first; the place in the kernel's own file is what helps. */
static bool ask_addr2line(const char *file, uintptr_t offset, char *out, size_t out_bytes)
{
    char command[4352], line[1024];
    bool found = false;
    if (strchr(file, '\''))
        return false;
    snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%lx 2>/dev/null", file, (unsigned long)offset);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        line[strcspn(line, " \n")] = '\0';
        if (found || line[0] == '?' || strstr(line, "/assay_simt/"))
            continue;
        snprintf(out, out_bytes, "%s", simt_file_name(line));
        found = true;
    }
    if (pipe)
        pclose(pipe);
    return found;
}

void simt_source_place(const void *pc, char *out, size_t out_bytes)
{
    Dl_info info;
    const char *call = (const char *)pc - 1; /* pc is where the call returns to */
    if (!dladdr(call, &info) || !info.dli_fname) {
        snprintf(out, out_bytes, "%p", pc);
        return;
    }
    const uintptr_t offset = (uintptr_t)call - (uintptr_t)info.dli_fbase;
    if (!ask_addr2line(info.dli_fname, offset, out, out_bytes))
        snprintf(out, out_bytes, "%s+0x%lx", simt_file_name(info.dli_fname), (unsigned long)offset);
}
