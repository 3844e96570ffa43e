/* See code_hash.h. Built where libelf is there; code_hash_none.c stands in elsewhere. */
#include "resources/code_hash.h"
#include <fcntl.h>
#include <gelf.h>
#include <sha256.h>
#include <string.h>
#include <unistd.h>

/* Sections that are loaded and not written: code, constants, and a cubin's kernels. Notes hold the hash of the whole file, tables of symbols
 * and frames go with the code; the fat binary holds the cubins, whose line tables change with a comment. */
static int is_code(const GElf_Shdr *header, const char *name)
{
    return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_ALLOC) &&
           ((header->sh_flags & SHF_EXECINSTR) || strncmp(name, ".rodata", 7) == 0 ||
            strncmp(name, ".nv.constant", 12) == 0);
}

static int add_sections(Elf *elf, SHA2_CTX *hash)
{
    size_t names;
    int found = 0;
    Elf_Scn *section = NULL;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !is_code(&header, name))
            continue;
        SHA256Update(hash, (const uint8_t *)name, strlen(name) + 1);
        for (Elf_Data *data = NULL; (data = elf_rawdata(section, data)) != NULL;)
            if (data->d_buf)
                SHA256Update(hash, data->d_buf, data->d_size);
        found = 1;
    }
    return found;
}

static int add_file(const char *path, SHA2_CTX *hash)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    const int found = elf && add_sections(elf, hash);
    elf_end(elf);
    close(file);
    return found;
}

int code_hash(const char *const *files, int count, char hex[65])
{
    SHA2_CTX hash;
    hex[0] = '\0';
    if (elf_version(EV_CURRENT) == EV_NONE)
        return 0;
    SHA256Init(&hash);
    for (int i = 0; i < count; i++)
        if (!add_file(files[i], &hash))
            return 0;
    SHA256End(&hash, hex);
    return 1;
}
