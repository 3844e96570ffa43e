# The nvcc of the wheels compiles for both architectures with no other toolkit in sight. Fetches some 300 MB, so only where
# ASSAY_TEST_NETWORK is set.
cmake_policy(VERSION 3.25)
if(NOT DEFINED ENV{ASSAY_TEST_NETWORK})
  message("skipped: fetches 300 MB; set ASSAY_TEST_NETWORK=1 to run it")
  return()
endif()
set(folder "${BUILD}/tests/cuda-toolkit")
set(ENV{ASSAY_CUDA_COMPONENTS} nvcc,crt,nvvm,cudart,cccl)
execute_process(COMMAND "${SOURCE}/cmake/get-cuda-toolkit.sh" "${folder}" 13.0
  RESULT_VARIABLE status OUTPUT_VARIABLE root ERROR_VARIABLE err OUTPUT_STRIP_TRAILING_WHITESPACE)
if(status EQUAL 3)
  string(REGEX REPLACE "\n+$" "" err "${err}")
  string(REGEX REPLACE ".*\n" "" err "${err}")
  message("skipped: ${err}")
  return()
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "get-cuda-toolkit.sh: exit ${status}\n${err}")
endif()
file(WRITE "${folder}/probe.cu" "#include <cuda_bf16.h>
__global__ void twice(__nv_bfloat16 *x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }
extern \"C\" int probe_run(__nv_bfloat16 *x) { twice<<<1, 32>>>(x); return cudaGetLastError(); }
")
execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=CUDA_HOME --unset=CUDA_PATH --unset=LIBRARY_PATH PATH=/usr/bin:/bin
    "${root}/bin/nvcc" -std=c++17 -shared -Xcompiler -fPIC -cudart shared "-L${root}/lib"
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a "${folder}/probe.cu" -o "${folder}/probe.so"
  RESULT_VARIABLE status ERROR_VARIABLE err)
if(NOT status EQUAL 0 OR NOT EXISTS "${folder}/probe.so")
  message(FATAL_ERROR "nvcc of the wheels does not compile:\n${err}")
endif()
file(REMOVE_RECURSE "${folder}") # a gigabyte has no place among test outputs
