/* Instruction mix from a listing of nvdisasm. Opcodes are those of the "Instruction Set Reference" in NVIDIA's CUDA Binary Utilities;
 * one that is in no class counts as "other", so that a new opcode is seen and not lost. NOPs are padding and are not counted.
 *
 * Counts are of instructions in the code, not of executions: a loop's body counts once. */
#include "resources/inspect.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Classes with a width in bits: an object {"32": 4, "128": 8}. */
static const struct {
    const char *opcode, *class;
} accesses[] = {
    {"LDG", "global_load"},  {"STG", "global_store"},  {"LDS", "shared_load"},   {"LDSM", "shared_load"},
    {"STS", "shared_store"}, {"STSM", "shared_store"}, {"LDL", "local_load"},    {"STL", "local_store"},
    {"LD", "generic_load"},  {"ST", "generic_store"},  {"LDGSTS", "async_copy"},
};

/* Classes with a plain count. */
static const struct {
    const char *class, *opcodes; /* separated by spaces */
} classes[] = {
    {"bulk_copy", " UBLKCP UBLKRED UBLKPF UTMALDG UTMASTG UTMAREDG UTMAPF "},
    {"fma", " FFMA FFMA2 FFMA32I HFMA2 DFMA "},
    {"float",
     " FADD FADD2 FMUL FMUL2 FADD32I FMUL32I FMNMX FMNMX3 FSEL FSET FSETP FSWZADD FCHK HADD2 HADD2_32I HMUL2 "
     "HMUL2_32I HMNMX2 HSET2 HSETP2 DADD DMUL DSETP DMNMX "},
    {"mufu", " MUFU "},
    {"integer", " IMAD IADD3 IADD IADD2 IMUL IMUL32I LEA LOP3 LOP LOP32I PLOP3 SHF SHL SHR ISETP ISET IMNMX "
                "IABS IDP IDP4A "
                "FLO POPC BREV BMSK SGXT ISCADD XMAD LOP2 VIADD VIMNMX VIMNMX3 VIADDMNMX VABSDIFF VABSDIFF4 "
                "IADD64 MOV64IUR "
                "UIADD3 UIADD UIMAD ULEA ULOP3 ULOP UPLOP3 USHF USHL USHR UISETP UFLO UPOPC UBREV UBMSK "
                "USGXT UP2UR UVIADD "
                "UVIMNMX UIMNMX UIABS "},
    {"conversion", " F2F F2I I2F I2I F2FP I2FP F2IP I2IP FRND "},
    {"move", " MOV MOV32I PRMT SEL CS2R S2R S2UR CS2UR R2UR UMOV UPRMT USEL R2P P2R UR2UP PRMT32I LDC ULDC "
             "LDCU R2B B2R "},
    {"shuffle", " SHFL VOTE VOTEU MATCH REDUX CREDUX MOVM "},
    {"atomic", " ATOM ATOMG ATOMS RED REDG REDAS CCTL CCTLL CCTLT "},
    {"barrier",
     " BAR SYNCS WARPSYNC NANOSLEEP DEPBAR LDGDEPBAR LDGDEPBAR ARRIVES WARPGROUP WARPGROUPSET UCGABAR_ARV "
     "UCGABAR_WAIT MEMBAR FENCE ERRBAR UTMACMDFLUSH UTMACCTL ELECT ENDCOLLECTIVE USETMAXREG ACQBULK "
     "PREEXIT ACQSHMINIT UTCBAR SETMAXREG "},
    {"branch", " BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BSSY BSYNC BREAK BMOV YIELD KILL RPCMOV BPT "},
};

/* Tensor cores: counted by opcode, since one HGMMA does the work of many HMMA. */
static const char tensor_opcodes[] =
    " HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCMXQMMA ";

static void count(json_t *object, const char *key, long more)
{
    const json_int_t before = json_integer_value(json_object_get(object, key));
    json_object_set_new(object, key, json_integer(before + more));
}

static void count_within(json_t *mix, const char *class, const char *key)
{
    json_t *object = json_object_get(mix, class);
    if (object == NULL) {
        object = json_object();
        json_object_set_new(mix, class, object);
    }
    count(object, key, 1);
}

/* Bits that one thread moves: a part of the opcode such as ".128", ".U8" or ".M88.4" (four 8x8 matrices of 16 bits: 32 bits a
 * thread each); 32 where nothing is said. */
static int access_bits(const char *opcode)
{
    const int matrix = strstr(opcode, ".M88") != NULL || strstr(opcode, ".MT88") != NULL;
    int bits = 32;
    for (const char *part = strchr(opcode, '.'); part != NULL; part = strchr(part + 1, '.')) {
        const char *digits = part + 1 + (part[1] == 'U' || part[1] == 'S');
        const int number = isdigit((unsigned char)*digits) ? atoi(digits) : 0;
        if (matrix && (number == 2 || number == 4))
            bits = 32 * number;
        else if (!matrix && (number == 8 || number == 16 || number == 64 || number == 128 || number == 256))
            bits = number;
    }
    return bits;
}

static int is_one_of(const char *opcodes, const char *opcode)
{
    char word[40];
    snprintf(word, sizeof word, " %.37s ", opcode);
    return strstr(opcodes, word) != NULL;
}

static void count_instruction(json_t *mix, const char *opcode)
{
    char base[38], bits[16];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(opcode, "."), opcode);
    if (strcmp(base, "NOP") == 0)
        return;
    count(mix, "total", 1);
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        if (strcmp(base, accesses[i].opcode) == 0) {
            snprintf(bits, sizeof bits, "%d", access_bits(opcode));
            count_within(mix, accesses[i].class, bits);
            return;
        }
    }
    if (is_one_of(tensor_opcodes, base)) {
        count_within(mix, "tensor", base);
        return;
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (is_one_of(classes[i].opcodes, base)) {
            count(mix, classes[i].class, 1);
            return;
        }
    }
    count_within(mix, "other", base);
}

/* Opcode of a line that begins with an address in comment marks, then perhaps a predicate: "@!P0 LDG.E.128 R4, ..."; 0 if it holds
 * none. */
static int read_opcode(const char *line, char *opcode, size_t bytes)
{
    line += strspn(line, " \t");
    const char *at = strncmp(line, "/*", 2) == 0 ? strstr(line, "*/") : NULL;
    if (at == NULL)
        return 0;
    at += 2;
    at += strspn(at, " \t{");
    if (*at == '@') {
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
    }
    if (!isupper((unsigned char)*at))
        return 0;
    snprintf(opcode, bytes, "%.*s", (int)strcspn(at, " \t;}\n"), at);
    return 1;
}

void listing_read(FILE *listing, json_t *kernels)
{
    char *line = NULL, opcode[128];
    size_t bytes = 0;
    json_t *mix = NULL;
    while (getline(&line, &bytes, listing) > 0) {
        if (strncmp(line, "//----", 6) == 0)
            mix = NULL; /* another section */
        if (strncmp(line, ".text.", 6) == 0) {
            json_t *kernel = inspect_kernel(kernels, line + 6, strcspn(line + 6, ":\n"));
            mix = kernel != NULL ? json_object() : NULL;
            json_object_set_new(mix, "total", json_integer(0));
            json_object_set_new(kernel, "instructions", mix);
        } else if (mix != NULL && read_opcode(line, opcode, sizeof opcode)) {
            count_instruction(mix, opcode);
        }
    }
    free(line);
}
