/* Handlers of what lanes of a warp do together: shuffles, votes, matches, reductions. */
#include "device/ptx/instructions.h"
#include "device/ptx/lanes.h"

/* The members of an operation: an operand that is the same for the lanes of a group. */
#define MEMBERS(o) ((o) == NO_OPERAND ? m : REG(u32, o)[FIRST(m)])

static u32 same_members(warp *w, operand o, u32 m)
{
    const u32 *members = REG(u32, o);
    u32 same = 0;
    EACH_ON(l, m) same |= (u32)(members[l] == members[FIRST(m)]) << l;
    return same;
}

/* Lanes that name different members are groups of their own, one after the other. */
static const insn *run_groups(warp *w, const insn *i, u32 m, operand o)
{
    for (u32 rest = m; rest;) {
        const u32 group = same_members(w, o, rest), members = REG(u32, o)[FIRST(rest)];
        if (members & w->live & ~group)
            return part_group(w, i, group, rest, members);
        w->gathered = true;
        i->run(w, i, group);
        w->gathered = false;
        if (w->checks)
            check_warp_sync(w, group);
        rest &= ~group;
    }
    return i + 1;
}

#define GATHER(o)                                                                      \
    const insn *next_;                                                                 \
    if ((o) != NO_OPERAND && !((o)&1) && !w->gathered && same_members(w, (o), m) != m) \
        return run_groups(w, i, m, (o));                                               \
    if (!members_present(w, i, m, MEMBERS(o), &next_))                                 \
        return next_;

static const insn *EXEC(run_shfl)(warp *w, const insn *i, u32 m)
{
    const operand named = i->uses ? LIST(0) : NO_OPERAND;
    GATHER(named)
    const u32 *pa = REG(u32, i->a), *pb = REG(u32, i->b), *pc = REG(u32, i->c);
    u32 r[LANES], inside = 0;
    if (i->sub == SHUFFLE_BFLY && m == ~0u && pc[0] == 31) {
        u32 uniform = 1;
        EACH(l) uniform &= pb[l] == pb[0];
        if (uniform) {
            const int x = (int)(pb[0] & 31);
            EACH(l) r[l] = pa[l ^ x];
            memcpy(REG(u32, i->d), r, sizeof r);
            if (i->d2 != NO_OPERAND)
                PRED(i->d2) = ~0u;
            return i + 1;
        }
    }
    EACH(l)
    {
        const u32 by = pb[l] & 31, clamp = pc[l] & 31, segment = pc[l] >> 8 & 31, lane = (u32)l;
        const int most = (int)((lane & segment) | (clamp & ~segment)), least = (int)(lane & segment);
        int from = l;
        bool in = false;
        if (i->sub == SHUFFLE_UP)
            from = l - (int)by, in = from >= most;
        else if (i->sub == SHUFFLE_DOWN)
            from = l + (int)by, in = from <= most;
        else if (i->sub == SHUFFLE_BFLY)
            from = l ^ (int)by, in = from <= most;
        else
            from = least | (int)(by & ~segment), in = from <= most;
        if (!in)
            from = l;
        /* What a lane that takes no part holds is no value. */
        r[l] = ON(m, from & 31) ? pa[from & 31] : ~0u;
        inside |= (u32)in << l;
    }
    u32 *pd = REG(u32, i->d);
    EACH(l) pd[l] = ON(m, l) ? r[l] : pd[l];
    if (i->d2 != NO_OPERAND)
        SET_PRED(i->d2, m, inside);
    return i + 1;
}

static const insn *EXEC(run_vote)(warp *w, const insn *i, u32 m)
{
    GATHER(i->b)
    const u32 votes = (i->flags & FLAG_NEGATED_A ? ~PRED(i->a) : PRED(i->a)) & m;
    if (i->sub == VOTE_BALLOT) {
        u32 *pd = REG(u32, i->d);
        EACH(l) pd[l] = ON(m, l) ? votes : pd[l];
        return i + 1;
    }
    const bool yes = i->sub == VOTE_ALL   ? votes == m
                     : i->sub == VOTE_ANY ? votes != 0
                                          : votes == m || votes == 0;
    SET_PRED(i->d, m, yes ? ~0u : 0);
    return i + 1;
}

static const insn *EXEC(run_match)(warp *w, const insn *i, u32 m)
{
    GATHER(i->b)
    u32 r[LANES] = {0}, all = m;
    EACH_ON(l, m)
    {
        const u64 mine = i->width == 8 ? REG(u64, i->a)[l] : REG(u32, i->a)[l];
        for (u32 others = m; others; others &= others - 1) {
            const u32 k = FIRST(others);
            r[l] |= (u32)((i->width == 8 ? REG(u64, i->a)[k] : REG(u32, i->a)[k]) == mine) << k;
        }
        all &= r[l];
    }
    const bool same = all == m;
    EACH_ON(l, m) REG(u32, i->d)[l] = !i->sub || same ? r[l] : 0;
    if (i->d2 != NO_OPERAND)
        SET_PRED(i->d2, m, same ? ~0u : 0);
    return i + 1;
}

static const insn *EXEC(run_redux)(warp *w, const insn *i, u32 m)
{
    GATHER(i->b)
    const u32 *pa = REG(u32, i->a);
    u32 r = pa[FIRST(m)];
    const bool sign = type_signed(i->type);
    EACH_ON(l, m & (m - 1))
    {
        const u32 v = pa[l];
        switch (i->sub) {
        case REDUX_ADD:
            r += v;
            break;
        case REDUX_MIN:
            r = sign ? ((s32)v < (s32)r ? v : r) : v < r ? v : r;
            break;
        case REDUX_MAX:
            r = sign ? ((s32)v > (s32)r ? v : r) : v > r ? v : r;
            break;
        case REDUX_AND:
            r &= v;
            break;
        case REDUX_OR:
            r |= v;
            break;
        default:
            r ^= v;
        }
    }
    EACH_ON(l, m) REG(u32, i->d)[l] = r;
    return i + 1;
}

static const insn *EXEC(run_activemask)(warp *w, const insn *i, u32 m)
{
    EACH_ON(l, m) REG(u32, i->d)[l] = m;
    return i + 1;
}

static const insn *EXEC(run_elect)(warp *w, const insn *i, u32 m)
{
    GATHER(i->b)
    const u32 members = MEMBERS(i->b);
    const u32 leader = FIRST(members & m ? members & m : m);
    EACH_ON(l, m) REG(u32, i->d)[l] = leader;
    if (i->d2 != NO_OPERAND)
        SET_PRED(i->d2, m, 1u << leader);
    return i + 1;
}

static const insn *EXEC(run_warpsync)(warp *w, const insn *i, u32 m)
{
    GATHER(i->b)
    return i + 1;
}

insn_run EXEC(pick_warp)(insn *i)
{
    switch (i->op) {
    case OP_SHFL:
        return EXEC(run_shfl);
    case OP_VOTE:
        return EXEC(run_vote);
    case OP_MATCH:
        return EXEC(run_match);
    case OP_REDUX:
        return EXEC(run_redux);
    case OP_ACTIVEMASK:
        return EXEC(run_activemask);
    case OP_ELECT:
        return EXEC(run_elect);
    case OP_WARPSYNC:
        return EXEC(run_warpsync);
    default:
        return NULL;
    }
}
