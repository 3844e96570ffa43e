/* A cubin is an ELF file with one section ".text.SYMBOL" a kernel. Only sizes are read here; what the sections hold is not
 * documented. Built where libelf is there; cubin_none.c stands in elsewhere. */
#include "resources/inspect.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static assay_status read_sections(Elf *elf, const char *path, json_t *kernels, assay_error *error)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: not an ELF file", path);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name == NULL || strncmp(name, ".text.", 6) != 0)
            continue;
        json_t *kernel = inspect_kernel(kernels, name + 6, strlen(name + 6));
        json_object_set_new(kernel, "code_bytes", json_integer((json_int_t)header.sh_size));
    }
    return ASSAY_OK;
}

assay_status cubin_read(const char *path, json_t *kernels, assay_error *error)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "libelf is older than its header");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    const assay_status status =
        elf != NULL ? read_sections(elf, path, kernels, error)
                    : assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %s", path, elf_errmsg(-1));
    elf_end(elf);
    close(file);
    return status;
}
