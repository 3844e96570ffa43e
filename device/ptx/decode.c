/* From a statement to instructions: mnemonics and who decodes them. */
#include "device/ptx/decode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *mnemonic;
    decode_fn decode;
} decoders[] = {
    {"setp", decode_setp},
    {"set", decode_set},
    {"selp", decode_selp},
    {"slct", decode_slct},
    {"testp", decode_testp},
    {"mov", decode_mov},
    {"cvt", decode_cvt},
    {"lop3", decode_lop3},
    {"bfi", decode_bfi},
    {"prmt", decode_prmt},
    {"addc", decode_carry},
    {"subc", decode_carry},
    {"madc", decode_carry},
    {"dp2a", decode_dot},
    {"dp4a", decode_dot},
    {"vabsdiff2", decode_absolute_differences},
    {"vabsdiff4", decode_absolute_differences},
    {"ld", decode_load},
    {"ldu", decode_load},
    {"st", decode_store},
    {"atom", decode_atom},
    {"red", decode_atom},
    {"cvta", decode_cvta},
    {"isspacep", decode_isspacep},
    {"mapa", decode_mapa},
    {"getctarank", decode_mapa},
    {"prefetch", decode_prefetch},
    {"prefetchu", decode_prefetch},
    {"discard", decode_prefetch},
    {"applypriority", decode_prefetch},
    {"createpolicy", decode_nothing},
    {"bra", decode_branch},
    {"brx", decode_branch},
    {"ret", decode_exit},
    {"exit", decode_exit},
    {"trap", decode_exit},
    {"brkpt", decode_exit},
    {"call", decode_call},
    {"shfl", decode_shfl},
    {"vote", decode_vote},
    {"match", decode_match},
    {"redux", decode_redux},
    {"activemask", decode_activemask},
    {"elect", decode_elect},
    {"bar", decode_bar},
    {"barrier", decode_bar},
    {"mbarrier", decode_mbarrier},
    {"membar", decode_fence},
    {"fence", decode_fence},
    {"nanosleep", decode_nothing},
    {"setmaxnreg", decode_nothing},
    {"griddepcontrol", decode_nothing},
    {"pmevent", decode_nothing},
    {"cp", decode_cp},
    {"ldmatrix", decode_ldmatrix},
    {"stmatrix", decode_ldmatrix},
    {"movmatrix", decode_ldmatrix},
    {"mma", decode_mma},
    {"wmma", decode_wmma},
    {"wgmma", decode_wgmma},
    {"tex", decode_tex},
};

static bool split(parser *p, statement *s)
{
    if (strlen(s->text) + 1 > sizeof s->storage)
        return parse_fail(p, "an opcode of %zu characters", strlen(s->text));
    memcpy(s->storage, s->text, strlen(s->text) + 1);
    s->part_count = 0;
    for (char *at = s->storage; at && s->part_count < MAX_PARTS;) {
        char *dot = strchr(at, '.');
        if (dot)
            *dot++ = 0;
        s->used[s->part_count] = false;
        s->parts[s->part_count++] = at;
        at = dot;
    }
    return true;
}

static bool unsupported(parser *p, statement *s, uint32_t from)
{
    ptx_function *f = p->function;
    f->count = from; /* what the decoder had begun */
    insn *i = emit(p, OP_UNSUPPORTED, s);
    if (f->unsupported[0] == 0) {
        char place[300];
        program_place(f, i, place, sizeof place);
        char word[64] = "";
        for (uint32_t k = 1; k < s->part_count; k++)
            if (!s->used[k] && word[0] == 0)
                snprintf(word, sizeof word, " (at .%s)", s->parts[k]);
        snprintf(f->unsupported, sizeof f->unsupported, "'%s'%s at %s, PTX line %u", s->text, word, place,
                 p->lex.line);
    }
    return true;
}

static bool all_used(const statement *s)
{
    for (uint32_t i = 1; i < s->part_count; i++)
        if (!s->used[i])
            return false;
    return true;
}

bool decode(parser *p, statement *s)
{
    if (!split(p, s))
        return false;
    const uint32_t from = p->function->count;
    decode_fn decoder = decode_lanes;
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
        if (strcmp(s->parts[0], decoders[i].mnemonic) == 0) {
            decoder = decoders[i].decode;
            break;
        }
    ptx_function *f = p->function;
    const ptx_type last = s->part_count > 1 ? type_find(s->parts[s->part_count - 1]) : TYPE_NONE;
    if (last == TYPE_pred && decoder == decode_lanes)
        decoder = decode_predicate;
    bool carry = false;
    for (uint32_t i = 1; i < s->part_count; i++)
        carry |= strcmp(s->parts[i], "cc") == 0;
    if (carry)
        decoder = decode_carry;
    const bool known = decoder(p, s);
    if (p->failed)
        return false;
    if (known && all_used(s) && f->count >= from)
        return true;
    return unsupported(p, s, from);
}
