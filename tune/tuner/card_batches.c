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
    tune_candidate reference[TUNE_MOST_CARDS]; /* the default configuration, on each */
    int handed_on;                             /* 1: the cards know of an interrupt */
    double looked_ms;
} card_search;

static tune_batch *batch_on(const card_search *cs, int card)
{
    for (int i = 0; i < cs->w->count; i++)
        if (window_at(cs->w, i)->phase == BATCH_MEASURING && window_at(cs->w, i)->card == card)
            return window_at(cs->w, i);
    return NULL;
}

/* A card that takes no more work: its batch goes to another. */
static void lose(card_search *cs, int at, const char *why)
{
    tune_card *card = &cs->cards->items[at];
    tune_batch *b = batch_on(cs, at);
    card->phase = CARD_LOST;
    snprintf(card->lost, sizeof card->lost, "%.299s", why);
    if (!process_interrupted())
        search_say(cs->s, "device %d is left out: %s\n", card->number, card->lost);
    for (int i = 0; b && i < b->count; i++)
        if (b->sent[i])
            b->items[i].done = 0;
    if (b)
        b->phase = BATCH_WAITING;
}

/* ---- the default configuration on each card ---- */

static assay_status send_references(card_search *cs, assay_error *error)
{
    configuration c;
    assay_status status = ASSAY_OK;
    space_default(cs->s->out->space, &c);
    for (int i = 0; i < cs->cards->count && status == ASSAY_OK; i++) {
        status = tune_candidate_make(&cs->s->out->subject, &c, &cs->reference[i], error);
        if (status == ASSAY_OK)
            status = tune_card_send(&cs->cards->items[i], &cs->reference[i], 1, NAN, error);
    }
    return status;
}

/* Without the default's time on the first card, times of the others say nothing: the first card goes on alone. */
static void take_reference(card_search *cs, int at)
{
    tune_card *card = &cs->cards->items[at], *first = &cs->cards->items[0];
    const tune_candidate *c = &cs->reference[at];
    char why[300];
    if (c->done && c->status == EVALUATION_SUCCESS)
        card->default_us = c->time_us;
    if (at == 0)
        first->factor = 1;
    if (at > 0 && isnan(card->default_us)) {
        snprintf(why, sizeof why, "the default configuration, by which cards are compared, failed: %.200s",
                 c->reason);
        lose(cs, at, why);
    }
    for (int i = 1; i < cs->cards->count && !isnan(first->factor); i++) {
        tune_card *other = &cs->cards->items[i];
        if (other->phase == CARD_LOST || isnan(other->default_us) || !isnan(other->factor))
            continue;
        if (isnan(first->default_us)) {
            lose(cs, i, "the default configuration, by which cards are compared, has no time on the first");
            continue;
        }
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
        if (cs->cards->items[i].phase == CARD_FREE && !isnan(cs->cards->items[i].factor))
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

/* Every batch as far as it goes without waiting; after an interrupt only what is measured is waited for. */
static assay_status advance(card_search *cs, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < cs->w->count && status == ASSAY_OK; i++) {
        tune_batch *b = window_at(cs->w, i);
        if (process_interrupted() && b->phase < BATCH_MEASURING) {
            status = batch_keep(cs->s, b, error);
            continue;
        }
        if (b->phase == BATCH_COMPILING && evaluate_is_compiled(cs->s->e, b->items))
            status = take_compiled(cs, b, error);
        const int card = status == ASSAY_OK && b->phase == BATCH_WAITING ? find_free(cs) : -1;
        if (card < 0)
            continue;
        const tune_outcome *out = cs->s->out;
        const double best = out->best >= 0 ? out->candidates[out->best].time_us : NAN;
        b->card = card;
        b->phase = BATCH_MEASURING;
        assay_error why = {0};
        if (tune_card_send(&cs->cards->items[card], b->items, b->count, best / cs->cards->items[card].factor,
                           &why) != ASSAY_OK)
            lose(cs, card, why.message);
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
    tune_card *card = &cs->cards->items[at];
    tune_batch *b = batch_on(cs, at);
    tune_candidate *items = b ? b->items : &cs->reference[at];
    const assay_status status = tune_card_receive(cs->cards, card, items, b ? b->count : 1, &why);
    if (status == ASSAY_ERR_IO || status == ASSAY_ERR_NO_MEMORY) /* a full disk is full for all */
        return assay_error_set(error, status, "%s", why.message);
    if (status != ASSAY_OK) {
        lose(cs, at, why.message);
        if (!b && at == 0)
            take_reference(cs, at);
        return ASSAY_OK;
    }
    if (!b) {
        take_reference(cs, at);
        return ASSAY_OK;
    }
    for (int i = 0; i < b->count; i++)
        if (b->sent[i] && b->items[i].done)
            convert(&b->items[i], card->factor);
    return batch_keep(cs->s, b, error);
}

static int count_cards(const card_search *cs, tune_card_phase phase)
{
    int count = 0;
    for (int i = 0; i < cs->cards->count; i++)
        count += cs->cards->items[i].phase == phase;
    return count;
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
    assay_status status = send_references(&cs, error);
    if (status == ASSAY_OK)
        status = window_fill(s, w, error);
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
