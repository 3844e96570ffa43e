# Builds the scratch tree with every trace of a CUDA toolkit hidden, and runs a case.
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../scratch_tree.cmake")
hide_toolkit()

# The cpu device: no toolkit to be found, and a compiler for CUDA that would fail if it were as much as asked for its version.
scratch_tree_make("${tree}" add)
find_program(ninja ninja)
set(generator "")
if(ninja)
  set(generator -G Ninja)
endif()
must_run(out "${CMAKE_COMMAND}" -S "${tree}" -B "${build}" ${generator} -DASSAY_DEVICE=cpu
  -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON -DCMAKE_CUDA_COMPILER=/bin/false)
# An op's modules alone bring all that its cases need.
must_run(out "${CMAKE_COMMAND}" --build "${build}" --parallel 2 --target modules_add)
run_case(correctness.add.v1_baseline.f32.small out passed)
if(NOT passed)
  message(FATAL_ERROR "the first case fails with nothing but modules_add built:\n${out}")
endif()
build_scratch(out)
file(STRINGS "${build}/CMakeCache.txt" traces REGEX "CUDA.*=.*/cuda")
if(traces)
  message(FATAL_ERROR "a CUDA toolkit got into the cache: ${traces}")
endif()
