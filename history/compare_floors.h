/* Floors of the method: what an empty kernel takes belongs to the host and its process as well as to the card, and every time contains it. Two
 * sides whose floors differ are compared as if they had BASE's. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_FLOORS_H
#define ASSAY_HISTORY_COMPARE_FLOORS_H

#include "history/compare_match.h"

typedef struct floor_pair {
    int differ;             /* by more than their noise, on or between the sides */
    double base_us, new_us; /* means over the sides' runs; 0 where a run does not tell its own */
} floor_pair;

/* An empty kernel by the method of `figure` in the result's process; 0 where there is none: a figure taken from a graph, which is free of
 * it, another device than a GPU, or a floor that no time of the figure could contain. */
double result_floor(const json_t *result, const char *figure);

/* 1 for figures taken from a graph of many launches, which is free of what events and a single launch cost. */
int figure_has_no_floor(const char *figure);

floor_pair find_floors(const match_pair *pair, const char *figure);

#endif
