/* Stands in for the CUDA toolkit's header of this name when a kernel is compiled for the CPU device. */
#pragma once
#include <assay_simt/kernel_cpu.h>
#include <assay_simt/host_api.h>
