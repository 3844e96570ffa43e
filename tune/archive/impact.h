/* How much each parameter of labelled times decides: sums by value, in one pass. */
#ifndef ASSAY_TUNE_IMPACT_H
#define ASSAY_TUNE_IMPACT_H

#include <jansson.h>

typedef struct impact_table impact_table;
/* NULL without memory. */
impact_table *impact_create(void);
void impact_free(impact_table *t);
/* One time of "BLOCK_M=128,STAGES=4". Parameters past 32 and values past 64 of one are left out. */
void impact_add(impact_table *t, const char *label, double time_us);
/* [{name, impact, best_value, values [{value, count, geomean_us, best_us}]}], largest impact first. impact is eta squared of
 * log(time): the variance between values over all variance, 0 to 1. New reference. */
json_t *impact_json(const impact_table *t);

#endif
