/* What strategies and strategy.c know of a search: the table of configurations proposed and told, the progress, and a random step. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"
#include <stdlib.h>

static strategy_entry *find_entry(const strategy *st, const configuration *c)
{
    size_t at = (size_t)configuration_hash(c) & (st->table_size - 1);
    while (st->table[at].state != ENTRY_FREE && !configuration_equals(&st->table[at].configuration, c))
        at = (at + 1) & (st->table_size - 1);
    return &st->table[at];
}

static int grow_table(strategy *st)
{
    const size_t old_size = st->table_size;
    strategy_entry *old = st->table;
    strategy_entry *table = calloc(2 * old_size, sizeof *table);
    if (table == NULL)
        return 0;
    st->table = table;
    st->table_size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].state != ENTRY_FREE)
            *find_entry(st, &old[i].configuration) = old[i];
    free(old);
    return 1;
}

int strategy_knows(const strategy *st, const configuration *c)
{
    return find_entry(st, c)->state != ENTRY_FREE;
}

int strategy_was_told(const strategy *st, const configuration *c)
{
    return find_entry(st, c)->state == ENTRY_TOLD;
}

strategy_entry *strategy_enter(strategy *st, const configuration *c)
{
    if (2 * (st->table_used + 1) > st->table_size && !grow_table(st))
        return NULL;
    strategy_entry *entry = find_entry(st, c);
    if (entry->state == ENTRY_FREE) {
        entry->configuration = *c;
        st->table_used++;
    }
    return entry;
}

double strategy_progress(const strategy *st)
{
    const double progress = (double)st->told_count / (double)st->budget;
    return progress < 1 ? progress : 1;
}

int strategy_mutate(const strategy *st, uint64_t stream, int count, int is_adjacent, configuration *c)
{
    const int parameters = space_parameter_count(st->space);
    for (int i = 0; parameters > 0 && i < count; i++) {
        const int parameter = stats_random_below(stream, (uint64_t)(3 * i), parameters);
        const int values = space_parameter_at(st->space, parameter)->value_count;
        const int old = c->index[parameter];
        if (values == 1)
            continue;
        int index;
        if (is_adjacent) {
            index = old + (stats_random_below(stream, (uint64_t)(3 * i + 1), 2) ? 1 : -1);
            index = index < 0 ? 1 : index == values ? values - 2 : index;
        } else {
            index = stats_random_below(stream, (uint64_t)(3 * i + 1), values - 1);
            index += index >= old; /* any but the old one */
        }
        c->index[parameter] = (uint16_t)index;
    }
    return space_repair(st->space, stream, 0xffff, c);
}
