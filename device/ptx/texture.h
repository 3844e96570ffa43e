/* Handlers of texture fetches. */
#ifndef ASSAY_DEVICE_PTX_TEXTURE_H
#define ASSAY_DEVICE_PTX_TEXTURE_H

#include "device/ptx/exec.h"

insn_run pick_texture(insn *i);

#endif
