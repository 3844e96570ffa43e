# Tests that need a GPU: with two GPUs here two run at a time, each on one of its own; without any, one at a time. The GPUs are those of an
# nvidia-smi that only pretends.
cmake_policy(VERSION 3.25)
set(tree "${BUILD}/tests/gpu_resources")
file(REMOVE_RECURSE "${tree}")
file(WRITE "${tree}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(gpus NONE)
list(APPEND CMAKE_MODULE_PATH \"${SOURCE}/cmake\")
set(ASSAY_DEVICE_KIND cuda)
include(AssayResources)
enable_testing()
foreach(test IN ITEMS a b c d)
  add_test(NAME \${test} COMMAND sh \"${tree}/hold.sh\")
  assay_tests_need_gpu(\${test})
endforeach()
")
# A card that is held already fails the test; a test that has company notes it.
file(WRITE "${tree}/hold.sh" "given=\${CTEST_RESOURCE_GROUP_0_GPUS:-none}
mkdir \"${tree}/held.$given\" || exit 1
echo \"$given\" >>\"${tree}/given\"
case $given in none) sleep 0.2 ;; *) sleep 1 ;; esac # longer than a loaded machine takes to start the other
set -- \"${tree}\"/held.*
[ $# -lt 2 ] || echo two >>\"${tree}/given\"
rmdir \"${tree}/held.$given\"
")

# configure(<name> <what nvidia-smi prints; empty: it fails>)
function(configure name lists)
  file(WRITE "${tree}/${name}/bin/nvidia-smi" "#!/bin/sh\nprintf '%s' '${lists}'\n[ -n '${lists}' ]\n")
  file(CHMOD "${tree}/${name}/bin/nvidia-smi" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PATH=${tree}/${name}/bin:$ENV{PATH}" ${ARGN}
      "${CMAKE_COMMAND}" -S "${tree}" -B "${tree}/${name}/build"
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "configure failed:\n${out}${err}")
  endif()
endfunction()

# run(<name> <pattern of the cards that the tests had>)
function(run name pattern)
  file(REMOVE "${tree}/given")
  execute_process(COMMAND "${ctest}" -j 4 --output-on-failure WORKING_DIRECTORY "${tree}/${name}/build"
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  file(READ "${tree}/given" given)
  if(NOT status EQUAL 0 OR NOT given MATCHES "${pattern}")
    message(FATAL_ERROR "${name}: exit ${status}, cards ${given}, expected ${pattern}\n${out}${err}")
  endif()
endfunction()

# expect_cards(<name> <identifier>...): what the resource file names
function(expect_cards name)
  file(READ "${tree}/${name}/build/gpus.json" text)
  string(JSON count LENGTH "${text}" local 0 gpus)
  set(found "")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON id GET "${text}" local 0 gpus ${i} id)
    list(APPEND found "${id}")
  endforeach()
  if(NOT found STREQUAL "${ARGN}")
    message(FATAL_ERROR "${name}: gpus.json names ${found}, expected ${ARGN}")
  endif()
endfunction()

cmake_path(GET CMAKE_COMMAND PARENT_PATH bin)
find_program(ctest ctest HINTS "${bin}" REQUIRED NO_CACHE)
set(two "GPU 0: NVIDIA H200 (UUID: GPU-1f5E0a77-00c1)\nGPU 1: NVIDIA H200 (UUID: GPU-2b)\n")

configure(two "${two}" --unset=CUDA_VISIBLE_DEVICES)
expect_cards(two gpu_1f5e0a77_00c1 gpu_2b)
run(two "two")
foreach(id IN ITEMS gpu_1f5e0a77_00c1 gpu_2b)
  file(READ "${tree}/given" given)
  if(NOT given MATCHES "id:${id},slots:1")
    message(FATAL_ERROR "no test had the card ${id}: ${given}")
  endif()
endforeach()

configure(none "" --unset=CUDA_VISIBLE_DEVICES)
run(none "^none\nnone\nnone\nnone\n$")

configure(chosen "${two}" CUDA_VISIBLE_DEVICES=1)
expect_cards(chosen gpu_2b)

configure(divided "GPU 0: NVIDIA H200 (UUID: GPU-aa)\n  MIG 1g.18gb Device 0: (UUID: MIG-01-f)\n  MIG 1g.18gb Device 1: (UUID: MIG-02-f)\nGPU 1: NVIDIA H200 (UUID: GPU-bb)\n"
  --unset=CUDA_VISIBLE_DEVICES)
expect_cards(divided mig_01_f mig_02_f gpu_bb)
