/* Stands in for the CUDA toolkit's header of this name when a kernel is compiled for the CPU device. */
#pragma once
#include <cuda_runtime.h>
