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

static double similarity_of(const char *own, const char *wanted,
                            double (*compare)(const char *, const char *), double other)
{
    if (is_open(wanted))
        return 1;
    if (is_open(own))
        return 0.8;
    return compare ? compare(own, wanted) : strcmp(own, wanted) == 0 ? 1 : other;
}

static double row_similarity(const experience_row *row, const experience_filter *question)
{
    return similarity_of(row->kind, question->kind, kind_similarity, 0) *
           similarity_of(row->backend, question->backend, NULL, 0.4) *
           similarity_of(row->chip, question->chip, chip_similarity, 0) *
           similarity_of(row->bottleneck, question->bottleneck, NULL, 0.1);
}

static experience_row row_of(const char *uid, const json_t *entry)
{
    return (experience_row){.uid = uid,
                            .kind = json_get_text(entry, "kind", "any"),
                            .backend = json_get_text(entry, "backend", "any"),
                            .chip = json_get_text(entry, "chip", "any"),
                            .bottleneck = json_get_text(entry, "bottleneck", "any"),
                            .strategy = json_get_text(entry, "strategy", ""),
                            .outcome = json_get_text(entry, "outcome", ""),
                            .effect = json_get_number(entry, "effect", NAN),
                            .entry = entry};
}

double experience_similarity(const json_t *entry, const experience_filter *question)
{
    const experience_row row = row_of("", entry);
    return row_similarity(&row, question);
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
    experience_row row;
    double similarity;
    int next; /* -1: none */
} evidence;

static void add_entry(tally *t, const experience_row *row, double similarity)
{
    t->successes += strcmp(row->outcome, "success") == 0;
    t->failures += strcmp(row->outcome, "failure") == 0;
    t->neutral += strcmp(row->outcome, "neutral") == 0;
    t->weight += similarity;
    t->worked += strcmp(row->outcome, "success") == 0 ? similarity : 0;
    if (isfinite(row->effect)) {
        t->log_effect += similarity * log(row->effect);
        t->effect_weight += similarity;
    }
    t->similarity = fmax(t->similarity, similarity);
}

static json_t *evidence_json(const tally *t, const evidence *all, const json_t *documents)
{
    json_t *list = json_array();
    for (int i = t->first; i >= 0; i = all[i].next) {
        const experience_row *r = &all[i].row;
        const json_t *entry = r->entry ? r->entry : json_object_get(documents, r->uid);
        json_t *row = json_copy((json_t *)entry);
        json_object_set_new(row, "uid", json_string(r->uid));
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

static json_t *tally_json(const tally *t, const evidence *all, const json_t *documents)
{
    return json_pack("{s:s, s:f, s:I, s:I, s:I, s:o, s:f, s:o}", "strategy", t->strategy, "score",
                     score_of(t), "successes", (json_int_t)t->successes, "failures", (json_int_t)t->failures,
                     "neutral", (json_int_t)t->neutral, "effect",
                     json_number(t->effect_weight > 0 ? exp(t->log_effect / t->effect_weight) : NAN),
                     "similarity", t->similarity, "evidence", evidence_json(t, all, documents));
}

typedef struct ranking {
    const experience_filter *question;
    tally *tallies;
    evidence *all;
    json_t *places; /* of strategies among the tallies, by their sentence */
    int count, used;
} ranking;

static tally *find_tally(ranking *r, const char *strategy)
{
    char sentence[EXPERIENCE_MAX_TEXT + 8];
    normalise(strategy, sentence, sizeof sentence);
    const json_t *place = json_object_get(r->places, sentence);
    if (place)
        return &r->tallies[json_integer_value(place)];
    json_object_set_new(r->places, sentence, json_integer(r->count));
    r->tallies[r->count] = (tally){.strategy = strategy, .first = -1, .last = -1};
    return &r->tallies[r->count++];
}

static void take(ranking *r, const experience_row *row)
{
    const double similarity = row_similarity(row, r->question);
    if (similarity < 0.05)
        return;
    tally *t = find_tally(r, row->strategy);
    add_entry(t, row, similarity);
    r->all[r->used] = (evidence){*row, similarity, -1};
    *(t->first < 0 ? &t->first : &r->all[t->last].next) = r->used;
    t->last = r->used++;
}

/* Of the strategies that are shown. */
static assay_status read_documents(const experience *x, const ranking *r, int shown, json_t *documents,
                                   assay_error *error)
{
    const char **uids = malloc((size_t)r->used * sizeof *uids + 1);
    size_t count = 0;
    if (!uids)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int t = 0; t < shown; t++)
        for (int i = r->tallies[t].first; i >= 0; i = r->all[i].next)
            if (!r->all[i].row.entry)
                uids[count++] = r->all[i].row.uid;
    const assay_status status = experience_file_documents(x->path, uids, count, documents, error);
    free(uids);
    return status;
}

static assay_status rank(const experience *x, ranking *r, int limit, json_t *rows, assay_error *error)
{
    json_t *documents = json_object(), *entry;
    const char *uid;
    json_object_foreach(x->by_uid, uid, entry)
    {
        const experience_row row = row_of(uid, entry);
        take(r, &row);
    }
    for (size_t i = 0; i < x->row_count; i++)
        if (!json_object_get(x->by_uid, x->rows[i].uid))
            take(r, &x->rows[i]);
    if (r->count > 0)
        qsort(r->tallies, (size_t)r->count, sizeof *r->tallies, by_score);
    const int shown = limit == 0 || limit > r->count ? r->count : limit;
    const assay_status status = read_documents(x, r, shown, documents, error);
    for (int i = 0; i < shown && status == ASSAY_OK; i++)
        json_array_append_new(rows, tally_json(&r->tallies[i], r->all, documents));
    json_decref(documents);
    return status;
}

assay_status experience_recommend(const experience *x, const experience_filter *question, int limit,
                                  json_t **rows, assay_error *error)
{
    const size_t most = json_object_size(x->by_uid) + x->row_count + 1;
    ranking r = {.question = question,
                 .tallies = calloc(most, sizeof *r.tallies),
                 .all = calloc(most, sizeof *r.all),
                 .places = json_object()};
    *rows = json_array();
    const assay_status status = r.tallies && r.all && r.places
                                    ? rank(x, &r, limit, *rows, error)
                                    : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    json_decref(r.places);
    free(r.all);
    free(r.tallies);
    if (status != ASSAY_OK) {
        json_decref(*rows);
        *rows = NULL;
    }
    return status;
}
