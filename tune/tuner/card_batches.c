/* Batches of a search over several cards: see cards.h and batch.h. */
#include "bench/timing/clock.h"
#include "core/process.h"
#include "tune/tuner/batch.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAUSE_MS = 20 }; /* between looks at the compilers */

typedef struct card_search {
    search *s;
    batch_window *w;
    tune_cards *cards;
    tune_candidate reference
        [TUNE_MOST_CARDS];       /* the default configuration, where a card gets it beside its first batch */
    int asked[TUNE_MOST_CARDS];  /* 1: the default is or was on that card */
    int beside[TUNE_MOST_CARDS]; /* 1: reference[] is part of what the card works on */
    int first_is_known;          /* 1: the default on the first card was measured, or cannot be */
    int handed_on;               /* 1: the cards know of an interrupt */
    double looked_ms;
} card_search;

static tune_batch *batch_on(const card_search *cs, int card)
{
    for (int i = 0; i < cs->w->count; i++)
        if (window_at(cs->w, i)->phase == BATCH_MEASURING && window_at(cs->w, i)->card == card)
            return window_at(cs->w, i);
    return NULL;
}

/* A card that takes no more work: its batch goes to another, and what of it cannot be converted. */
static void lose(card_search *cs, int at, const char *why)
{
    tune_card *card = &cs->cards->items[at];
    card->phase = CARD_LOST;
    snprintf(card->lost, sizeof card->lost, "%.299s", why);
    if (!process_interrupted())
        search_say(cs->s, "device %d is left out: %s\n", card->number, card->lost);
    for (int i = 0; i < cs->w->count; i++) {
        tune_batch *b = window_at(cs->w, i);
        if (b->card != at ||
            !(b->phase == BATCH_MEASURING || (b->phase == BATCH_MEASURED && isnan(card->factor))))
            continue;
        for (int k = 0; k < b->count; k++)
            if (b->sent[k])
                b->items[k].done = 0;
        b->phase = BATCH_WAITING;
    }
}

/* ---- the default configuration on each card ---- */

static const tune_candidate *find_default(const card_search *cs, const tune_batch *b)
{
    configuration c;
    space_default(cs->s->out->space, &c);
    for (int i = 0; b && i < b->count; i++)
        if (b->sent[i] && configuration_equals(&b->items[i].configuration, &c))
            return &b->items[i];
    return NULL;
}

static assay_status add_reference(card_search *cs, int at, assay_error *error)
{
    configuration c;
    space_default(cs->s->out->space, &c);
    cs->beside[at] = 1;
    return tune_candidate_make(&cs->s->out->subject, &c, &cs->reference[at], error);
}

/* Without the default's time on the first card, times of the others say nothing: the first card goes on alone. */
static void take_reference(card_search *cs, int at, const tune_candidate *c)
{
    tune_card *card = &cs->cards->items[at], *first = &cs->cards->items[0];
    char why[300];
    if (c->done && c->status == EVALUATION_SUCCESS)
        card->default_us = c->time_us;
    if (at == 0)
        cs->first_is_known = 1;
    if (at > 0 && isnan(card->default_us)) {
        snprintf(why, sizeof why, "the default configuration, by which cards are compared, failed: %.200s",
                 c->reason);
        lose(cs, at, why);
    }
    for (int i = 1; i < cs->cards->count && cs->first_is_known; i++) {
        tune_card *other = &cs->cards->items[i];
        if (other->phase == CARD_LOST || !isnan(other->factor))
            continue;
        if (isnan(first->default_us)) {
            lose(cs, i, "the default configuration, by which cards are compared, has no time on the first");
            continue;
        }
        if (isnan(other->default_us))
            continue;
        other->factor = first->default_us / other->default_us;
        search_say(cs->s,
                   "device %d: the default takes %.4g us, on device %d %.4g us; times there count %.4f\n",
                   other->number, other->default_us, first->number, first->default_us, other->factor);
    }
}

/* ---- batches ---- */

static void convert(tune_candidate *c, double factor)
{
    c->time_us *= factor;
    c->tflops /= factor;
    for (int i = 0; i < c->sample_count; i++)
        c->samples[i] *= factor;
}

static int find_free(const card_search *cs)
{
    for (int i = 0; i < cs->cards->count; i++)
        if (cs->cards->items[i].phase == CARD_FREE)
            return i;
    return -1;
}

static assay_status take_compiled(card_search *cs, tune_batch *b, assay_error *error)
{
    int open = 0;
    const assay_status status = evaluate_compiled(cs->s->e, b->items, error);
    for (int i = 0; i < b->count; i++)
        open += b->sent[i] = !b->items[i].done;
    b->phase = BATCH_WAITING;
    return status == ASSAY_OK && open == 0 ? batch_keep(cs->s, b, error) : status;
}

static int count_cards(const card_search *cs, tune_card_phase phase)
{
    int count = 0;
    for (int i = 0; i < cs->cards->count; i++)
        count += cs->cards->items[i].phase == phase;
    return count;
}

/* Batches whose card's factor is known are kept by it. After an interrupt what has none, and gets none any more, is dropped. */
static assay_status settle(card_search *cs, assay_error *error)
{
    assay_status status = ASSAY_OK;
    const int is_over = process_interrupted() && count_cards(cs, CARD_BUSY) == 0;
    for (int i = 0; i < cs->w->count && status == ASSAY_OK; i++) {
        tune_batch *b = window_at(cs->w, i);
        const double factor = b->phase == BATCH_MEASURED ? cs->cards->items[b->card].factor : NAN;
        if (b->phase != BATCH_MEASURED || (isnan(factor) && !is_over))
            continue;
        for (int k = 0; k < b->count; k++)
            if (b->sent[k] && isnan(factor))
                b->items[k].done = 0;
            else if (b->sent[k] && b->items[k].done)
                convert(&b->items[k], factor);
        status = batch_keep(cs->s, b, error);
    }
    return status;
}

/* Let a free card work on a batch. Its first one brings the default with it, or where there is no room for that, comes after it. */
static assay_status send(card_search *cs, int at, tune_batch *b, assay_error *error)
{
    tune_card *card = &cs->cards->items[at];
    const tune_outcome *out = cs->s->out;
    const double best = out->best >= 0 ? out->candidates[out->best].time_us : NAN;
    assay_error why = {0};
    int open = 0;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < b->count; i++)
        open += b->sent[i];
    if (!cs->asked[at] && !find_default(cs, b))
        status = add_reference(cs, at, error);
    if (status != ASSAY_OK)
        return status;
    const int is_alone = cs->beside[at] && open == EVALUATE_MOST;
    cs->asked[at] = 1;
    if (!is_alone) {
        b->card = at;
        b->phase = BATCH_MEASURING;
    }
    if (tune_card_send(card, b->items, is_alone ? 0 : b->count, cs->beside[at] ? &cs->reference[at] : NULL,
                       best / card->factor, &why) != ASSAY_OK)
        lose(cs, at, why.message);
    return ASSAY_OK;
}

/* Every batch as far as it goes without waiting; after an interrupt only what is measured is waited for. */
static assay_status advance(card_search *cs, assay_error *error)
{
    const tune_candidate none = {.done = 0};
    if (cs->cards->items[0].phase == CARD_LOST && !cs->first_is_known)
        take_reference(cs, 0, &none);
    assay_status status = settle(cs, error);
    for (int i = 0; i < cs->w->count && status == ASSAY_OK; i++) {
        tune_batch *b = window_at(cs->w, i);
        if (process_interrupted() && b->phase < BATCH_MEASURING) {
            status = batch_keep(cs->s, b, error);
            continue;
        }
        if (b->phase == BATCH_COMPILING && evaluate_is_compiled(cs->s->e, b->items))
            status = take_compiled(cs, b, error);
        const int card = status == ASSAY_OK && b->phase == BATCH_WAITING ? find_free(cs) : -1;
        if (card >= 0)
            status = send(cs, card, b, error);
    }
    return status;
}

/* What a card has answered, if one has. */
static assay_status collect(card_search *cs, assay_error *error)
{
    assay_error why = {0};
    const int at = tune_cards_wait(cs->cards, PAUSE_MS);
    if (at < 0)
        return ASSAY_OK;
    tune_batch *b = batch_on(cs, at);
    tune_candidate *beside = cs->beside[at] ? &cs->reference[at] : NULL;
    const assay_status status = tune_card_receive(cs->cards, &cs->cards->items[at], b ? b->items : NULL,
                                                  b ? b->count : 0, beside, &why);
    if (status == ASSAY_ERR_IO || status == ASSAY_ERR_NO_MEMORY) /* a full disk is full for all */
        return assay_error_set(error, status, "%s", why.message);
    const tune_candidate *reference = beside ? beside : find_default(cs, b);
    cs->beside[at] = 0;
    if (status != ASSAY_OK)
        lose(cs, at, why.message);
    else if (b)
        b->phase = BATCH_MEASURED;
    if (status == ASSAY_OK && reference && isnan(cs->cards->items[at].default_us))
        take_reference(cs, at, reference);
    return ASSAY_OK;
}

/* A card without work while a compiler runs waits for it. */
static void account(card_search *cs)
{
    const double now = clock_now_ms();
    int compiling = 0;
    for (int i = 0; i < cs->w->count; i++)
        compiling |= window_at(cs->w, i)->phase == BATCH_COMPILING;
    if (compiling)
        cs->s->waited_s += (now - cs->looked_ms) * 1e-3 * count_cards(cs, CARD_FREE) / cs->cards->count;
    cs->looked_ms = now;
}

static assay_status check_cards(const card_search *cs, assay_error *error)
{
    const tune_card *last = &cs->cards->items[cs->cards->count - 1];
    return count_cards(cs, CARD_LOST) < cs->cards->count || process_interrupted()
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "no device is left: %s", last->lost);
}

assay_status search_run_on_cards(search *s, batch_window *w, assay_error *error)
{
    card_search cs = {.s = s, .w = w, .cards = s->o->cards, .looked_ms = clock_now_ms()};
    cs.cards->items[0].factor = 1;
    assay_status status = window_fill(s, w, error);
    while (status == ASSAY_OK && (w->count > 0 || count_cards(&cs, CARD_BUSY) > 0)) {
        if (process_interrupted() && !cs.handed_on) {
            tune_cards_interrupt(cs.cards);
            cs.handed_on = 1;
        }
        status = advance(&cs, error);
        if (status == ASSAY_OK)
            status = window_tell(s, w, error);
        if (status == ASSAY_OK)
            status = collect(&cs, error);
        account(&cs);
        if (status == ASSAY_OK)
            status = check_cards(&cs, error);
    }
    for (int i = 0; i < cs.cards->count; i++)
        tune_candidate_release(&cs.reference[i]);
    return status;
}
