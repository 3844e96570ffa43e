/* Which strategy has the best evidence for a kernel: see experience.h. */
#include "tune/experience/experience.h"
#include "tune/experience/experience_entry.h"
#include "core/json_file.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_open(const char *text)
{
    return text == NULL || text[0] == '\0' || strcmp(text, "any") == 0;
}

const char *experience_kind_of_family(const char *family)
{
    static const char *const same[] = {"attention", "convolution", "row", "reduction", "elementwise"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(family, same[i]) == 0)
            return same[i];
    return strcmp(family, "matrix") == 0 ? "matmul" : strcmp(family, "layout") == 0 ? "transpose" : "other";
}

/* What is learnt of one kind helps another that moves data alike. */
static double kind_similarity(const char *a, const char *b)
{
    static const char *const related[][2] = {{"matmul", "attention"}, {"matmul", "convolution"},
                                             {"row", "reduction"},    {"elementwise", "transpose"},
                                             {"row", "elementwise"},  {"row", "attention"}};
    if (strcmp(a, b) == 0)
        return 1;
    for (size_t i = 0; i < sizeof related / sizeof *related; i++)
        if ((strcmp(a, related[i][0]) == 0 && strcmp(b, related[i][1]) == 0) ||
            (strcmp(b, related[i][0]) == 0 && strcmp(a, related[i][1]) == 0))
            return 0.5;
    return 0.15;
}

/* sm_90 and sm_90a are one chip; sm_80 and sm_86 one generation. */
static double chip_similarity(const char *a, const char *b)
{
    const int x = atoi(strncmp(a, "sm_", 3) == 0 ? a + 3 : a),
              y = atoi(strncmp(b, "sm_", 3) == 0 ? b + 3 : b);
    if (x == y)
        return 1;
    return x / 10 == y / 10 ? 0.8 : abs(x / 10 - y / 10) == 1 ? 0.5 : 0.3;
}

static double similarity_of(const json_t *entry, const char *key, const char *wanted,
                            double (*compare)(const char *, const char *), double other)
{
    const char *own = json_get_text(entry, key, "any");
    if (is_open(wanted))
        return 1;
    if (is_open(own))
        return 0.8;
    return compare ? compare(own, wanted) : strcmp(own, wanted) == 0 ? 1 : other;
}

double experience_similarity(const json_t *entry, const experience_filter *question)
{
    return similarity_of(entry, "kind", question->kind, kind_similarity, 0) *
           similarity_of(entry, "backend", question->backend, NULL, 0.4) *
           similarity_of(entry, "chip", question->chip, chip_similarity, 0) *
           similarity_of(entry, "bottleneck", question->bottleneck, NULL, 0.1);
}

/* "Use  TMA." and "use tma" are the same sentence. */
static void normalise(const char *sentence, char *out, size_t out_bytes)
{
    size_t used = 0;
    for (; *sentence && used + 2 < out_bytes; sentence++) {
        const char c = (char)tolower((unsigned char)*sentence);
        if (isalnum((unsigned char)c))
            out[used++] = c;
        else if (used > 0 && out[used - 1] != ' ')
            out[used++] = ' ';
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

typedef struct tally {
    const char *strategy;
    long successes, failures, neutral;
    double weight, worked, log_effect, effect_weight, similarity;
    int first, last; /* of its entries, in the order of arrival; -1: none yet */
} tally;

/* An entry that counts, and the next one of the same strategy. */
typedef struct evidence {
    const char *uid;
    json_t *entry;
    double similarity;
    int next;
} evidence;

static void add_entry(tally *t, const json_t *entry, double similarity)
{
    const char *outcome = json_get_text(entry, "outcome", "");
    const double effect = json_get_number(entry, "effect", NAN);
    t->successes += strcmp(outcome, "success") == 0;
    t->failures += strcmp(outcome, "failure") == 0;
    t->neutral += strcmp(outcome, "neutral") == 0;
    t->weight += similarity;
    t->worked += strcmp(outcome, "success") == 0 ? similarity : 0;
    if (isfinite(effect)) {
        t->log_effect += similarity * log(effect);
        t->effect_weight += similarity;
    }
    t->similarity = fmax(t->similarity, similarity);
}

static json_t *evidence_json(const tally *t, const evidence *all)
{
    json_t *list = json_array();
    for (int i = t->first; i >= 0; i = all[i].next) {
        json_t *row = json_copy(all[i].entry);
        json_object_set_new(row, "uid", json_string(all[i].uid));
        json_object_set_new(row, "similarity", json_real(all[i].similarity));
        json_object_del(row, "strategy");
        json_array_append_new(list, row);
    }
    return list;
}

/* Expected gain: chance of success times the mean effect of all that was measured, discounted for little evidence. */
static double score_of(const tally *t)
{
    const double chance = (t->worked + 0.5) / (t->weight + 1);
    const double gain = t->effect_weight > 0 ? t->log_effect / t->effect_weight : 0;
    return chance * (1 + fmax(-0.9, gain)) * t->weight / (t->weight + 0.5);
}

static int by_score(const void *a, const void *b)
{
    const double x = score_of(a), y = score_of(b);
    return x < y ? 1 : x > y ? -1 : strcmp(((const tally *)a)->strategy, ((const tally *)b)->strategy);
}

static json_t *tally_json(const tally *t, const evidence *all)
{
    return json_pack("{s:s, s:f, s:I, s:I, s:I, s:o, s:f, s:o}", "strategy", t->strategy, "score",
                     score_of(t), "successes", (json_int_t)t->successes, "failures", (json_int_t)t->failures,
                     "neutral", (json_int_t)t->neutral, "effect",
                     json_number(t->effect_weight > 0 ? exp(t->log_effect / t->effect_weight) : NAN),
                     "similarity", t->similarity, "evidence", evidence_json(t, all));
}

/* The place of a strategy among the tallies, by its sentence; a new one where it is not known. */
static int find_tally(json_t *places, const json_t *entry, tally *tallies, int *count)
{
    char sentence[EXPERIENCE_MAX_TEXT + 8];
    const char *strategy = json_get_text(entry, "strategy", "");
    normalise(strategy, sentence, sizeof sentence);
    const json_t *place = json_object_get(places, sentence);
    if (place)
        return (int)json_integer_value(place);
    tallies[*count] = (tally){.strategy = strategy, .first = -1, .last = -1};
    json_object_set_new(places, sentence, json_integer(*count));
    return (*count)++;
}

json_t *experience_recommend(const experience *x, const experience_filter *question, int limit)
{
    const size_t entries = json_object_size(x->by_uid) + 1;
    tally *tallies = calloc(entries, sizeof *tallies);
    evidence *all = calloc(entries, sizeof *all);
    json_t *places = json_object(), *rows = json_array(), *entry;
    const char *uid;
    int count = 0, used = 0;
    json_object_foreach(x->by_uid, uid, entry)
    {
        const double similarity = experience_similarity(entry, question);
        if (!tallies || !all || similarity < 0.05)
            continue;
        tally *t = &tallies[find_tally(places, entry, tallies, &count)];
        add_entry(t, entry, similarity);
        all[used] = (evidence){uid, entry, similarity, -1};
        *(t->first < 0 ? &t->first : &all[t->last].next) = used;
        t->last = used++;
    }
    if (count > 0)
        qsort(tallies, (size_t)count, sizeof *tallies, by_score);
    for (int i = 0; i < count && (limit == 0 || i < limit); i++)
        json_array_append_new(rows, tally_json(&tallies[i], all));
    json_decref(places);
    free(all);
    free(tallies);
    return rows;
}
