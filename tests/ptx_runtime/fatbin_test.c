/* Choosing PTX from fat binaries made here: plain and packed entries, several targets, machine code alone, and damage of every kind. */
#include "tests/unit.h"
#include "device/ptx/fatbin.h"

enum { PTX = 1, MACHINE_CODE = 2, HEADER = 16, ENTRY_HEADER = 64 };

typedef struct image {
    unsigned char bytes[4096];
    size_t used;
} image;

static void put(image *m, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        m->bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

static void begin(image *m)
{
    memset(m, 0, sizeof *m);
    m->used = HEADER;
    put(m, 0, 0xba55ed50, 4);
    put(m, 4, 1, 2);
    put(m, 6, HEADER, 2);
}

static void add(image *m, int kind, unsigned arch, uint64_t flags, const void *data, size_t bytes,
                size_t unpacked)
{
    const size_t at = m->used;
    put(m, at, (uint64_t)kind, 2);
    put(m, at + 4, ENTRY_HEADER, 4);
    put(m, at + 8, bytes, 8);
    put(m, at + 16, flags ? bytes : 0, 4);
    put(m, at + 28, arch, 4);
    put(m, at + 40, flags, 8);
    put(m, at + 56, flags ? unpacked : 0, 8);
    memcpy(m->bytes + at + ENTRY_HEADER, data, bytes);
    m->used += ENTRY_HEADER + bytes;
    put(m, 8, m->used - HEADER, 8);
}

static void add_text(image *m, const char *text)
{
    add(m, PTX, 0, 0, text, strlen(text) + 1, 0);
}

static void want(const image *m, const char *arch, const char *text, const char *reason)
{
    fatbin_choice choice = fatbin_choose_ptx(m->bytes, arch);
    if (text)
        assert_string_equal(choice.text, text);
    else
        assert_null(choice.text);
    if (reason && !strstr(choice.reason, reason))
        fail_msg("the reason is \"%s\", not \"%s\"", choice.reason, reason);
    free(choice.text);
}

static void highest_target_that_runs(void **state)
{
    image m;
    begin(&m);
    add_text(&m, ".version 8.0\n.target sm_52\n");
    add_text(&m, ".version 8.0\n.target sm_80, debug\n");
    add_text(&m, ".version 8.0\n.target sm_90a\n");
    add_text(&m, ".version 8.0\n.target sm_100\n");
    want(&m, "sm_90a", ".version 8.0\n.target sm_90a\n", NULL);
    want(&m, "sm_80", ".version 8.0\n.target sm_80, debug\n", NULL);
}

static void specific_target_elsewhere(void **state)
{
    image m;
    begin(&m);
    add_text(&m, ".target sm_100a\n");
    want(&m, "sm_90a", NULL, "its PTX is for sm_100a, which does not run on sm_90a");
}

static void machine_code_alone(void **state)
{
    image m;
    begin(&m);
    add(&m, MACHINE_CODE, 90, 0, "\177ELF", 4, 0);
    want(&m, "sm_90a", NULL,
         "machine code for sm_90 and no PTX; compile with -gencode arch=compute_90a,code=compute_90a");
    add_text(&m, ".target sm_80\n");
    want(&m, "sm_90a", ".target sm_80\n", NULL);
}

/* What `printf '.target sm_80\n' | zstd` and an LZ4 block of literals alone are. */
static void packed(void **state)
{
    static const char text[] = ".target sm_80\n";
    static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x0e, 0x71, 0x00, 0x00, '.', 't', 'a',
                                         'r',  'g',  'e',  't',  ' ',  's',  'm',  '_',  '8',  '0', '\n'};
    static const unsigned char lz4[] = {0xe0, '.', 't', 'a', 'r', 'g', 'e', 't',
                                        ' ',  's', 'm', '_', '8', '0', '\n'};
    image m;
    begin(&m);
    add(&m, PTX, 80, 0x8000, zstd, sizeof zstd, sizeof text - 1);
    fatbin_choice choice = fatbin_choose_ptx(m.bytes, "sm_80");
    if (!choice.text && strstr(choice.reason, "libzstd-dev"))
        skip();
    free(choice.text);
    want(&m, "sm_80", text, NULL);
    begin(&m);
    add(&m, PTX, 80, 0x2000, lz4, sizeof lz4, sizeof text - 1);
    want(&m, "sm_80", text, NULL);
    m.bytes[HEADER + ENTRY_HEADER] = 0x10; /* one literal, and then an offset that leads nowhere */
    want(&m, "sm_80", NULL, "LZ4");
}

static void damage(void **state)
{
    image m;
    begin(&m);
    want(&m, "sm_80", NULL, "no device code");
    add_text(&m, ".target sm_80\n");
    put(&m, HEADER + 8, 1 << 20, 8); /* longer than the image */
    want(&m, "sm_80", NULL, "damaged");
    begin(&m);
    add_text(&m, "no target at all");
    want(&m, "sm_80", NULL, "does not run");
    put(&m, 0, 0, 4);
    want(&m, "sm_80", NULL, "no fat binary");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_target_that_runs),
        cmocka_unit_test(specific_target_elsewhere),
        cmocka_unit_test(machine_code_alone),
        cmocka_unit_test(packed),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
