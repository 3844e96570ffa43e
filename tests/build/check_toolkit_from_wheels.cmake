# The nvcc of the wheels compiles for both architectures with no other toolkit in sight, and every header of CUDA that a source includes
# is among the components that are fetched by default. Fetches some 300 MB, so only where
# ASSAY_TEST_NETWORK is set.
cmake_policy(VERSION 3.25)
if(NOT DEFINED ENV{ASSAY_TEST_NETWORK})
  message("skipped: fetches 300 MB; set ASSAY_TEST_NETWORK=1 to run it")
  return()
endif()
set(folder "${BUILD}/tests/cuda-toolkit")
file(STRINGS "${SOURCE}/cmake/get-cuda-toolkit.sh" components REGEX "^components=")
string(REGEX REPLACE ".*:-(.*),cublas}.*" "\\1" components "${components}") # without its 700 MB
if(NOT components MATCHES "^nvcc,[a-z,]+$")
  message(FATAL_ERROR "the default components are not found in get-cuda-toolkit.sh: ${components}")
endif()
set(ENV{ASSAY_CUDA_COMPONENTS} "${components}")
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
set(missing "")
file(GLOB_RECURSE sources "${SOURCE}/bench/*" "${SOURCE}/examples/*" "${SOURCE}/build_module/*" "${SOURCE}/history/*" "${SOURCE}/report/*" "${SOURCE}/tools/*" "${SOURCE}/tests/*" "${SOURCE}/device/*" "${SOURCE}/include/*" "${SOURCE}/ops/*" "${SOURCE}/resources/*" "${SOURCE}/verify/*")
list(FILTER sources INCLUDE REGEX "\\.(c|cc|cu|cuh|h)$")
set(checked 0)
foreach(source IN LISTS sources)
  file(STRINGS "${source}" includes REGEX "^ *# *include <(cu[a-z_]*|cooperative_groups|cub/|cuda/|nv/|thrust/|mma)")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*<(.*)>.*" "\\1" header "${include}")
    math(EXPR checked "${checked} + 1")
    if(NOT header MATCHES "^(cublas|cudnn)" AND NOT EXISTS "${root}/include/${header}" AND NOT EXISTS "${root}/include/cccl/${header}")
      list(APPEND missing "${source}: ${header}")
    endif()
  endforeach()
endforeach()
if(checked LESS 30 OR missing)
  list(JOIN missing "\n" missing)
  message(FATAL_ERROR "${checked} includes of CUDA's headers looked at; not in the default components ${components}:\n${missing}")
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
