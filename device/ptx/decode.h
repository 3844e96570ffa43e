/* Decoding of instructions: what the decode_*.c files share. */
#ifndef ASSAY_DEVICE_PTX_DECODE_H
#define ASSAY_DEVICE_PTX_DECODE_H

#include "device/ptx/opcodes.h"
#include "device/ptx/parse.h"

/* A decoder of one mnemonic. False: this form is outside the opcode set. */
typedef bool (*decode_fn)(parser *, statement *);

/* 1 if the instruction has this modifier, which is then known. */
bool has(statement *s, const char *modifier);
/* The next modifier that is a type and that nobody took. */
ptx_type take_type(statement *s);
/* The number of the first of these modifiers (NULL at the end) that the instruction has, or -1. */
int one_of(statement *s, const char *const *modifiers);
/* Modifiers without an effect on results: cache levels, prefetch sizes, scopes. */
void ignore(statement *s, const char *const *modifiers);
void ignore_cache(statement *s);
/* .cta, .cluster, .gpu, .sys */
void ignore_scope(statement *s);
uint32_t part_number(const char *part); /* "x4" gives 4 */

/* Operand k as a value of `width` bytes (0: predicate). NO_OPERAND where it is none or its register has another width. */
operand value_of(parser *p, statement *s, uint32_t k, uint32_t width);
operand element_value(parser *p, const parsed_operand *o, uint32_t width);
/* Operand k as a result; a sink gets a register that nobody reads. */
operand result_of(parser *p, statement *s, uint32_t k, uint32_t width);
/* The register behind "|", or NO_OPERAND. */
operand second_result(statement *s, uint32_t k);
/* A predicate that is read: constants 0 and 1 too. */
operand predicate_of(parser *p, statement *s, uint32_t k);
/* Base and offset of an address operand; flag_bit is set in *flags where the base has 32 bits. False: no address. */
bool address_of(parser *p, const parsed_operand *o, ptx_space space, operand *base, int64_t *offset,
                uint8_t *flags, uint8_t flag_bit);
/* The address of a variable, as its state space knows it. */
operand symbol_address(parser *p, variable *v, int64_t offset, uint32_t width);
uint32_t register_width(const parser *p, operand o);
bool place_shared(parser *p, variable *v);

/* Append an operand's elements (or itself) to the list of instruction i. */
bool list_results(parser *p, insn *i, statement *s, uint32_t k, uint32_t width);
bool list_values(parser *p, insn *i, statement *s, uint32_t k, uint32_t width);

bool decode_lanes(parser *p, statement *s); /* alu.def */
bool decode_predicate(parser *p, statement *s);
bool decode_setp(parser *p, statement *s);
bool decode_set(parser *p, statement *s);
bool decode_selp(parser *p, statement *s);
bool decode_slct(parser *p, statement *s);
bool decode_testp(parser *p, statement *s);
bool decode_mov(parser *p, statement *s);
bool decode_cvt(parser *p, statement *s);
bool decode_lop3(parser *p, statement *s);
bool decode_bfi(parser *p, statement *s);
bool decode_prmt(parser *p, statement *s);
bool decode_carry(parser *p, statement *s);
bool decode_dot(parser *p, statement *s);
bool decode_absolute_differences(parser *p, statement *s);
bool decode_load(parser *p, statement *s);
bool decode_store(parser *p, statement *s);
bool decode_atom(parser *p, statement *s);
bool decode_cvta(parser *p, statement *s);
bool decode_isspacep(parser *p, statement *s);
bool decode_mapa(parser *p, statement *s);
bool decode_nothing(parser *p, statement *s);
bool decode_prefetch(parser *p, statement *s);
bool decode_branch(parser *p, statement *s);
bool decode_exit(parser *p, statement *s);
bool decode_call(parser *p, statement *s);
bool decode_shfl(parser *p, statement *s);
bool decode_vote(parser *p, statement *s);
bool decode_match(parser *p, statement *s);
bool decode_redux(parser *p, statement *s);
bool decode_activemask(parser *p, statement *s);
bool decode_elect(parser *p, statement *s);
bool decode_bar(parser *p, statement *s);
bool decode_mbarrier(parser *p, statement *s);
bool decode_fence(parser *p, statement *s);
bool decode_cp(parser *p, statement *s);
bool decode_ldmatrix(parser *p, statement *s);
bool decode_mma(parser *p, statement *s);
bool decode_wmma(parser *p, statement *s);
bool decode_wgmma(parser *p, statement *s);
bool decode_tex(parser *p, statement *s);

#endif
