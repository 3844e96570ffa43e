/* One card for all that a benchmark starts. */
#ifndef ASSAY_BENCH_CHOSEN_CARD_H
#define ASSAY_BENCH_CHOSEN_CARD_H

#include <stddef.h>

/* The name of card `number` (from 0) among those that `visible` lists, which is $CUDA_VISIBLE_DEVICES or NULL where that is not set: a number
 * or a UUID in `name`. 0 if the list has no such entry. */
int chosen_card_name(const char *visible, int number, char *name, size_t name_bytes);

/* Let this process and all that it starts see card `number` alone, which then is their card 0: verification, the ceilings and torch take that
 * one. Before anything asks for a device. 0 if there is no such card among the visible ones; nothing is changed then. */
int chosen_card_use(int number);

/* The name of the card that CTest gave a test of RESOURCE_GROUPS "gpus:1": `given` is $CTEST_RESOURCE_GROUP_0_GPUS, "id:gpu_1f5e_77,slots:1",
 * whose identifier is a number, or a UUID as cmake/AssayResources.cmake writes it, in small letters and with "_" in place of "-". 0 if it is
 * neither. */
int chosen_card_given(const char *given, char *name, size_t name_bytes);

/* Let this process and all that it starts see the card alone that CTest gave, if it gave one. Before anything asks for a device. 0 if what
 * CTest gave is no card; nothing is changed then. */
int chosen_card_use_given(void);

#endif
