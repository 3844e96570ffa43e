/* Which peer a case's times are divided by, where the card's power cap decides how fast it runs. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_PEER_H
#define ASSAY_HISTORY_COMPARE_PEER_H

#include "history/compare_match.h"

typedef struct peer_choice {
    char name[COMPARE_NAME_MAX]; /* "peer_cublas"; "": none */
} peer_choice;

/* The peer to divide by under `normalise` (compare_options): one with status ok, the case's math mode and the same version in every run of
 * both sides. "auto": only for the figure `sustained` and where the cap was met; of the best peers, those that are no more than a tenth
 * slower than the fastest and met the cap if the case did, the one to which the ratio is steadiest, provided it tells clearly more than the
 * times alone, which move with the clock under the cap. A name: that peer. "none": none. */
peer_choice choose_peer(const match_pair *pair, const char *figure, const char *normalise,
                        const result_set *base, const result_set *changed);

/* 1 if the power cap (clock event reason 0x4) was met before, during or after a repetition on either side. */
int met_power_cap(const match_pair *pair, const char *figure);

#endif
