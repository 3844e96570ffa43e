/* Choosing a peer: see compare_peer.h. */
#include "history/compare_peer.h"
#include "history/compare_values.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REASON_POWER_CAP = 0x4 };
#define CLEARLY_LESS 0.7 /* spreads of ten values differ by a third by chance */
#define BEST_PEERS   1.1 /* of the fastest one's time */

static const char *text_of(const json_t *result, const char *key)
{
    return json_get_text(result, key, "");
}

static int is_capped(const json_t *result, const char *figure)
{
    const json_t *of = json_object_get(json_object_get(result, "figures"), figure);
    return ((int)json_get_number(of, "reasons", 0) & REASON_POWER_CAP) != 0;
}

int met_power_cap(const match_pair *pair, const char *figure)
{
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side ? &pair->changed : &pair->base;
        for (int i = 0; i < runs->count; i++)
            if (is_capped(runs->results[i], figure))
                return 1;
    }
    return 0;
}

typedef struct peer_search {
    const match_pair *pair;
    const char *figure;
    const result_set *sets[2];
} peer_search;

static const match_runs *side_of(const peer_search *s, int side)
{
    return side ? &s->pair->changed : &s->pair->base;
}

/* Every run of both sides has the peer, in one version, with the figure. */
static int serves(const peer_search *s, const char *name)
{
    const json_t *first = NULL;
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side_of(s, side);
        for (int i = 0; i < runs->count; i++) {
            const json_t *peer = result_find_peer(runs->results[i], name, s->sets[side]);
            if (!peer || strcmp(text_of(peer, "kind"), "peer") != 0 ||
                strcmp(text_of(peer, "math_mode"), text_of(runs->results[i], "math_mode")) != 0 ||
                json_array_size(result_locations(peer, s->figure)) == 0)
                return 0;
            first = first ? first : peer;
            if (strcmp(text_of(first, "version"), text_of(peer, "version")) != 0)
                return 0;
        }
    }
    return first != NULL;
}

/* The peer's time in BASE's first run, and whether it met the cap anywhere. */
static double look_at_peer(const peer_search *s, const char *name, int *capped)
{
    *capped = 0;
    for (int side = 0; side < 2; side++) {
        const match_runs *runs = side_of(s, side);
        for (int i = 0; i < runs->count; i++)
            *capped |= is_capped(result_find_peer(runs->results[i], name, s->sets[side]), s->figure);
    }
    const json_t *peer = result_find_peer(s->pair->base.results[0], name, s->sets[0]);
    const match_runs alone = {&peer, 1};
    side_values values = {0};
    const assay_status made = side_values_make(&alone, &(value_request){.figure = s->figure}, &values, NULL);
    const double us = made == ASSAY_OK ? values.us : NAN;
    side_values_release(&values);
    return us;
}

/* The larger spread of the two sides, or what a side's share is of their pairs' spread; INFINITY if there is nothing. */
static double find_spread(const peer_search *s, const char *peer)
{
    double spread = 0.0;
    side_values sides[2] = {{.us = NAN}, {.us = NAN}};
    stats_side pairs;
    for (int side = 0; side < 2; side++) {
        const value_request request = {.figure = s->figure, .peer = peer, .set = s->sets[side]};
        const assay_status made = side_values_make(side_of(s, side), &request, &sides[side], NULL);
        const double own = made == ASSAY_OK ? side_values_spread(&sides[side].side) : INFINITY;
        spread = fmax(spread, hypot(own, sides[side].peer_error * sqrt(fmax(sides[side].side.count, 1))));
    }
    if (isfinite(spread) && side_values_pair(&sides[0], &sides[1], &pairs)) {
        spread = side_values_spread(&pairs) / sqrt(2.0);
        pairs_release(&pairs);
    }
    side_values_release(&sides[0]);
    side_values_release(&sides[1]);
    return spread;
}

static double fastest_peer(const peer_search *s, const json_t *names, int need_cap)
{
    const json_t *name;
    size_t i;
    double fastest = INFINITY;
    json_array_foreach(names, i, name)
    {
        int capped;
        const char *text = json_is_string(name) ? json_string_value(name) : "";
        if (strncmp(text, "peer_", 5) != 0 || !serves(s, text))
            continue;
        const double us = look_at_peer(s, text, &capped);
        fastest = capped || !need_cap ? fmin(fastest, us) : fastest;
    }
    return fastest;
}

/* What a comparison of values that spread so could tell at best: their location's error and the deviation from process to process. */
static double expected_error(const peer_search *s, double spread, double run_deviation)
{
    const size_t turns = json_array_size(result_locations(s->pair->base.results[0], s->figure));
    return hypot(spread / sqrt(turns > 0 ? (double)turns : 1.0), run_deviation);
}

static peer_choice choose_best(const peer_search *s, const json_t *names)
{
    const compare_state state = compare_state_of(s->figure, met_power_cap(s->pair, s->figure), 0);
    const int need_cap = state != COMPARE_STEADY;
    const double most_us = BEST_PEERS * fastest_peer(s, names, need_cap);
    const double relative = compare_run_deviation(most_us, 1, COMPARE_RELATIVE, 0, 0);
    double best = CLEARLY_LESS *
                  expected_error(s, find_spread(s, NULL), compare_run_deviation(most_us, 1, state, 0, 0));
    peer_choice choice = {0};
    const json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        int capped;
        const char *text = json_is_string(name) ? json_string_value(name) : "";
        if (strncmp(text, "peer_", 5) != 0 || !serves(s, text) ||
            !(look_at_peer(s, text, &capped) <= most_us) || (need_cap && !capped))
            continue;
        const double error = expected_error(s, find_spread(s, text), relative);
        if (!(error < best))
            continue;
        best = error;
        snprintf(choice.name, sizeof choice.name, "%s", text);
    }
    return choice;
}

static int is_named(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0 || (strncmp(name, "peer_", 5) == 0 && strcmp(name + 5, wanted) == 0);
}

static peer_choice choose_named(const peer_search *s, const json_t *names, const char *wanted)
{
    peer_choice choice = {0};
    const json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        const char *text = json_is_string(name) ? json_string_value(name) : "";
        if (choice.name[0] || !is_named(text, wanted) || !serves(s, text))
            continue;
        snprintf(choice.name, sizeof choice.name, "%s", text);
    }
    return choice;
}

peer_choice choose_peer(const match_pair *pair, const char *figure, const char *normalise,
                        const result_set *base, const result_set *changed)
{
    const peer_search search = {pair, figure, {base, changed}};
    const json_t *result = pair->base.results[0];
    const json_t *names = json_object_get(json_object_get(result, "method"), "interleaved_with");
    if ((normalise && strcmp(normalise, "none") == 0) || strcmp(text_of(result, "kind"), "peer") == 0)
        return (peer_choice){0};
    if (normalise && strcmp(normalise, "auto") != 0)
        return choose_named(&search, names, normalise);
    if (strcmp(figure, "sustained") != 0 && !met_power_cap(pair, figure))
        return (peer_choice){0};
    return choose_best(&search, names);
}
