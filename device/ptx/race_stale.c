/* Updates that are lost between a volatile or relaxed read and the write that follows it.
 *
 * Such accesses do not race with each other, and nothing makes a read see the last write of another warp unless something orders the two.
 * So the first read after such a write may still see the value before it, and here it does; whoever polls a flag reads again. A warp that
 * writes another value after such a read has undone a write that it never saw. Only words of four bytes in global memory: wider ones are
 * messages that hold their own flag. */
#include "device/ptx/opcodes.h"
#include "device/ptx/race_global.h"
#include <stdio.h>
#include <string.h>

/* The word of a lane's access, with its page held; NULL for what is not watched. */
static word *word_of(warp *w, uint64_t address, page **held)
{
    const ptx_device *d = w->launch->device;
    if (address < d->arena || address >= d->arena_end || address % WORD_BYTES)
        return NULL;
    const uint64_t offset = address - d->arena;
    if (!(*held = global_page(w->launch->global_race, offset)))
        return NULL;
    global_hold(*held);
    return &(*held)->words[offset % (1 << PAGE_SHIFT) / WORD_BYTES];
}

static bool is_own(const warp *w, uint32_t gang_number, uint16_t warp_number)
{
    return gang_number == w->gang->order + 1 && warp_number == w->race->number;
}

static bool applies(const warp *w, const insn *i)
{
    return w->race && i->flags & FLAG_VOLATILE && i->width == 4 && i->narrow == 4 && i->defs + i->uses == 1;
}

uint32_t check_stale_reads(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t *values)
{
    uint32_t stale = 0;
    for (uint32_t lane = 0, last = 32; lane < 32 && applies(w, i); lane++) {
        page *held;
        if (!(mask >> lane & 1))
            continue;
        if (last < 32 && addresses[last] == addresses[lane]) { /* lanes that read together see the same */
            stale |= (stale >> last & 1) << lane;
            values[lane] = values[last];
            continue;
        }
        last = lane;
        word *c = word_of(w, addresses[lane], &held);
        if (!c)
            continue;
        if (c->unread && !is_own(w, c->write.gang, c->write.warp) && !global_ordered(w, &c->write)) {
            values[lane] = c->before;
            stale |= 1u << lane;
            c->stale_gang = w->gang->order + 1;
            c->stale_warp = (uint16_t)w->race->number;
        } else if (is_own(w, c->stale_gang, c->stale_warp)) {
            c->stale_gang = 0;
        }
        global_release_page(held);
    }
    return stale;
}

static void report_lost(warp *w, const insn *i, uint32_t lane, uint64_t address, const trace *lost)
{
    char who[400], bytes[300];
    if (!global_may_report(w->launch))
        return;
    global_who(w, lost, who, sizeof who);
    memory_place(w->launch->device, address, bytes, sizeof bytes);
    found(w, i, 1u << lane, PTX_FOUND_GLOBAL_RACE, address,
          "an update of %s is lost: the write by %s came between this thread's read and its write, with "
          "nothing "
          "that orders them",
          bytes, who);
}

/* The warp's last read of the word did not see its last write, which is another warp's and unordered: it was made to miss it, or came first. */
static bool read_before_write(warp *w, const word *c)
{
    if (is_own(w, c->stale_gang, c->stale_warp))
        return true;
    return c->unread && !is_own(w, c->write.gang, c->write.warp) &&
           (is_own(w, c->read.gang, c->read.warp) || is_own(w, c->other.gang, c->other.warp)) &&
           !global_ordered(w, &c->write);
}

void check_stale_writes(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses,
                        const uint64_t *pointers, const uint32_t *values)
{
    for (uint32_t lane = 0; lane < 32 && applies(w, i); lane++) {
        page *held;
        word *c = mask >> lane & 1 ? word_of(w, addresses[lane], &held) : NULL;
        if (!c)
            continue;
        uint32_t value;
        memcpy(&value, (const void *)(uintptr_t)pointers[lane], sizeof value);
        const trace lost = c->write;
        const bool is_lost = value != values[lane] && read_before_write(w, c);
        c->before = value;
        c->stale_gang = 0;
        global_release_page(held);
        if (is_lost)
            report_lost(w, i, lane, addresses[lane], &lost);
    }
}
