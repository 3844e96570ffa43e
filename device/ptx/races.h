/* Races by happens-before. */
#ifndef ASSAY_DEVICE_PTX_RACES_H
#define ASSAY_DEVICE_PTX_RACES_H

#include "device/ptx/exec.h"

/* What a launch keeps of the accesses to global memory, until its end. */
void races_new_launch(launch_state *l);
void races_free_launch(launch_state *l);
void races_new_gang(gang *g);
void races_free_gang(gang *g);
void races_start_block(block *b);

/* Release and acquire on a synchronisation object, which a key names: a place in shared memory, or a global address. */
uint64_t shared_key(warp *w, uint64_t address);
void races_release(warp *w, uint32_t lanes, uint64_t key);
void races_acquire(warp *w, uint32_t lanes, uint64_t key);

#endif
