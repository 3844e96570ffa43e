/* The fast conversions of convert.def by number, and roundings. */
#ifndef ASSAY_DEVICE_PTX_CONVERT_H
#define ASSAY_DEVICE_PTX_CONVERT_H

enum rounding {
    ROUND_NO,
    ROUND_RN,
    ROUND_RZ,
    ROUND_RM,
    ROUND_RP,
    ROUND_RNA,
    ROUND_RNI,
    ROUND_RZI,
    ROUND_RMI,
    ROUND_RPI,
    ROUND_SAT
};

enum fast_conversion {
#define CONVERT(id, d, s, round, D, S, e) CONVERT_##id,
#include "device/ptx/convert.def"
#undef CONVERT
    CONVERT_COUNT
};

/* insn.flags of conversions */
enum { CONVERT_SAT = 1, CONVERT_FTZ = 2, CONVERT_RELU = 4, CONVERT_FINITE = 8 };

/* Comparisons, insn.sub of setp and set. */
enum compare {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_EQU,
    CMP_NEU,
    CMP_LTU,
    CMP_LEU,
    CMP_GTU,
    CMP_GEU,
    CMP_NUM,
    CMP_NAN
};
/* How the result of a comparison is joined with a predicate, insn.width of setp and set. */
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

#endif
