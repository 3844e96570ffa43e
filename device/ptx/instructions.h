/* Numbers inside instructions that decoder and executor agree on. */
#ifndef ASSAY_DEVICE_PTX_INSTRUCTIONS_H
#define ASSAY_DEVICE_PTX_INSTRUCTIONS_H

enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC
};
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum redux { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };
enum bar { BAR_SYNC, BAR_ARRIVE, BAR_RED_AND, BAR_RED_OR, BAR_RED_POPC };
enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_EXPECT,
    MBARRIER_COMPLETE,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_EXPECT,
    MBARRIER_DROP,
    MBARRIER_DROP_EXPECT,
    MBARRIER_WAIT_PARITY,
    MBARRIER_WAIT_STATE,
    MBARRIER_PENDING
};
/* insn.width of mbarrier waits: try_wait may suspend, test_wait does not */
enum { MBARRIER_TEST, MBARRIER_TRY };
/* insn.sub of fences */
enum fence { FENCE_MEMORY, FENCE_BLOCK, FENCE_PROXY_ASYNC, FENCE_MBARRIER_INIT, FENCE_PROXY_OTHER };
/* insn.sub of bulk copies */
enum bulk { BULK_TO_SHARED, BULK_TO_GLOBAL, BULK_SHARED_TO_SHARED };
enum nothing { NOTHING, NOTHING_GRID_WAIT, NOTHING_GRID_LAUNCH, NOTHING_SLEEP, NOTHING_POLICY };
/* insn.sub of matrix moves */
enum { MATRIX_LOAD, MATRIX_STORE, MATRIX_MOVE };
enum { WMMA_A, WMMA_B, WMMA_C };
/* insn.flags of wgmma */
enum {
    WGMMA_A_REGISTERS = 1,
    WGMMA_TRANS_A = 2,
    WGMMA_TRANS_B = 4,
    WGMMA_NEGATE_A = 8,
    WGMMA_NEGATE_B = 16,
    WGMMA_NOT_SCALE = 32
};
/* insn.flags of wmma loads and stores, beside FLAG_ADDRESS32 */
enum { WMMA_COLUMNS = 2 };
/* insn.narrow of TMA */
enum { TMA_MULTICAST = 1, TMA_IM2COL = 2, TMA_READ_ONLY_WAIT = 4, TMA_OFFSETS = 8 };

#endif
