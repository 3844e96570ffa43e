/* Every instruction that the device executes: those of alu.def, and the rest here with their class for the counters. */
#ifndef ASSAY_DEVICE_PTX_OPCODES_H
#define ASSAY_DEVICE_PTX_OPCODES_H

/* id, class */
/* clang-format off */
#define PTX_OPCODES(O)                                                                                       \
    O(UNSUPPORTED, OTHER)                                                                                    \
    O(SPECIAL, OTHER)                                                                                        \
    O(NOP, OTHER) /* predicates and selection */                                                             \
    O(PRED_AND, INTEGER)                                                                                     \
    O(PRED_OR, INTEGER) O(PRED_XOR, INTEGER) O(PRED_NOT, INTEGER) O(PRED_MOV, INTEGER) O(SETP, INTEGER)      \
        O(SETP_X2, FLOATING) O(SET, INTEGER) O(SET_X2, FLOATING) O(SELP_16, INTEGER) O(SELP_32, INTEGER)     \
            O(SELP_64, INTEGER) O(SLCT, INTEGER) O(TESTP, FLOATING) /* moves */                              \
        O(PACK, INTEGER) O(UNPACK, INTEGER) O(EXTEND, CONVERSION) O(CVT, CONVERSION) O(CVT_FAST, CONVERSION) \
            O(CVT_PACK, CONVERSION) O(CVT_FP8, CONVERSION) O(CVT_FROM_FP8, CONVERSION)                       \
                O(CVT_PACK_INT, CONVERSION) O(LOP3, INTEGER) O(BFI, INTEGER) O(PRMT_MODE, INTEGER)           \
                    O(CARRY, INTEGER) O(DP2A, INTEGER) O(MOV_128, INTEGER) /* memory */                      \
        O(LD_PARAM, MEMORY) O(LD, MEMORY) O(ST, MEMORY) O(ATOM, MEMORY) O(CVTA, INTEGER) O(CVTA_TO, INTEGER) \
            O(ISSPACEP, INTEGER) O(MAPA, INTEGER) O(GETCTARANK, INTEGER) O(PREFETCH, MEMORY) O(TEX, MEMORY)  \
                O(LDMATRIX, MEMORY) O(STMATRIX, MEMORY) O(ADDRESS_OF, INTEGER) /* control */                 \
        O(BRA, CONTROL) O(BRX, CONTROL) O(JOIN, OTHER) O(RET, CONTROL) O(EXIT, CONTROL) O(TRAP, CONTROL)     \
            O(CALL, CONTROL) O(CALL_BUILTIN, CONTROL) /* warp */                                             \
        O(SHFL, OTHER) O(VOTE, OTHER) O(MATCH, OTHER) O(REDUX, OTHER) O(ACTIVEMASK, OTHER) O(ELECT, OTHER)   \
            O(WARPSYNC, BARRIER) /* barriers */                                                              \
        O(BAR, BARRIER) O(CLUSTER_ARRIVE, BARRIER) O(CLUSTER_WAIT, BARRIER) O(MBARRIER, BARRIER)             \
            O(FENCE, BARRIER) O(NANOSLEEP, OTHER) /* asynchronous */                                         \
        O(CP_ASYNC, MEMORY) O(CP_COMMIT, OTHER) O(CP_WAIT, OTHER) O(CP_MBARRIER, BARRIER) O(BULK, MEMORY)    \
            O(TMA, MEMORY) O(BULK_COMMIT, OTHER) O(BULK_WAIT, OTHER) O(ST_ASYNC, MEMORY) /* tensor cores */  \
        O(MMA, TENSOR) O(WMMA_LOAD, MEMORY) O(WMMA_STORE, MEMORY) O(WMMA_MMA, TENSOR) O(WGMMA, TENSOR)       \
            O(WGMMA_FENCE, OTHER) O(WGMMA_COMMIT, OTHER) O(WGMMA_WAIT, OTHER)
/* clang-format on */

enum opcode {
#define O(id, class) OP_##id,
    PTX_OPCODES(O)
#undef O
#define ALU1(id, class, ...) OP_##id,
#define ALU2(id, class, ...) OP_##id,
#define ALU3(id, class, ...) OP_##id,
#include "device/ptx/alu.def"
#undef ALU1
#undef ALU2
#undef ALU3
        OP_COUNT
};

enum op_class {
    CLASS_OTHER,
    CLASS_INTEGER,
    CLASS_FLOATING,
    CLASS_SPECIAL,
    CLASS_CONVERSION,
    CLASS_CONTROL,
    CLASS_MEMORY,
    CLASS_TENSOR,
    CLASS_BARRIER,
    CLASS_COUNT
};

#endif
