# A project outside the tree: the scratch tree's build is installed, examples/my_project is built against it, tested, timed and
# reported, and all that again after the prefix has moved.
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../scratch_tree.cmake")
hide_toolkit()
set(outside "${BUILD}/tests/outside")
set(project "${outside}/my_project")
file(REMOVE_RECURSE "${outside}" "${tree}.away")
file(COPY "${SOURCE}/examples/my_project" DESTINATION "${outside}" PATTERN "build" EXCLUDE)

function(expect_refusal pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(status EQUAL 0 OR NOT "${out}${err}" MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: exit ${status}, expected a refusal with: ${pattern}\n${out}${err}")
  endif()
endfunction()

# Configure, build and test the project against a prefix. Nothing of the tree that built the package may be needed.
function(use_package prefix project_build)
  must_run(out "${CMAKE_COMMAND}" -S "${project}" -B "${project_build}" -DASSAY_DEVICE=cpu "-DCMAKE_PREFIX_PATH=${prefix}")
  must_run(out "${CMAKE_COMMAND}" --build "${project_build}" --parallel 2)
  must_run(out "${CMAKE_COMMAND}" --build "${project_build}")
  if(out MATCHES "Module clip")
    message(FATAL_ERROR "modules are built again though nothing changed:\n${out}")
  endif()
  must_run(tests "${CMAKE_CTEST_COMMAND}" --test-dir "${project_build}" -L "^clip$" -E "medium|large" --no-tests=error)
  if(NOT tests MATCHES "100% tests passed" OR NOT tests MATCHES "smoke +=" OR NOT tests MATCHES "v2_vectors +=")
    message(FATAL_ERROR "the tests of the example, or their labels, are not what they are in the tree:\n${tests}")
  endif()
endfunction()

function(time_and_report project_build)
  must_run(out "${CMAKE_COMMAND}" --build "${project_build}" --target bench_clip_v2_vectors_f32_small)
  must_run(out "${CMAKE_COMMAND}" --build "${project_build}" --target report)
  foreach(file IN ITEMS results/cpu-simt/bench/clip.v2_vectors.f32.small.json results/cpu-simt/verify/clip.v2_vectors.f32.small.json
      logs/clip_log.md logs/summary.md)
    if(NOT EXISTS "${project_build}/${file}")
      message(FATAL_ERROR "the project's build lacks ${file}")
    endif()
  endforeach()
  find_program(gnuplot gnuplot NO_CACHE)
  if(gnuplot AND NOT EXISTS "${project_build}/plots/roofline_clip.svg")
    message(FATAL_ERROR "the project's build has no roofline")
  endif()
endfunction()

set(prefix "${outside}/prefix")
must_run(out "${CMAKE_COMMAND}" --install "${build}" --prefix "${prefix}")
file(RENAME "${tree}" "${tree}.away") # what still works now needs the package alone
use_package("${prefix}" "${project}/build")
time_and_report("${project}/build")

# Moved: a fresh build folder, and the old one configured again.
file(RENAME "${prefix}" "${outside}/moved here")
set(prefix "${outside}/moved here")
use_package("${prefix}" "${project}/build-moved")
use_package("${prefix}" "${project}/build")
time_and_report("${project}/build")

# The contest's kernel among the example's: judged for the dtype that it is for.
foreach(pair IN ITEMS "f32|pass" "f16|skipped")
  string(REGEX REPLACE "\\|.*" "" dtype "${pair}")
  string(REGEX REPLACE ".*\\|" "" expected "${pair}")
  file(READ "${project}/build/results/cpu-simt/verify/clip.v3_contest.${dtype}.small.json" verdict)
  string(JSON status GET "${verdict}" status)
  if(NOT status STREQUAL expected)
    message(FATAL_ERROR "clip.v3_contest.${dtype}.small is judged '${status}', not '${expected}'")
  endif()
endforeach()

# The command works before anything is configured, and the build finds what it writes.
must_run(out "${prefix}/bin/assay" new-op thrice --dir "${project}/ops")
file(APPEND "${project}/CMakeLists.txt" "assay_add_op(NAME thrice DIR ops/thrice)\n")
must_run(out "${CMAKE_COMMAND}" --build "${project}/build" --parallel 2)
expect_refusal("the reference of thrice is not written yet" "${CMAKE_CTEST_COMMAND}" --test-dir "${project}/build" --output-on-failure
  -R "^correctness.thrice.v1_baseline.f32.small$")
must_run(out "${project}/build/bin/assay" list --op thrice)

# What cannot work says so.
function(try_project pattern)
  file(WRITE "${outside}/wrong/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\n${ARGN}\n")
  file(REMOVE_RECURSE "${outside}/wrong/build")
  expect_refusal("${pattern}" "${CMAKE_COMMAND}" -S "${outside}/wrong" -B "${outside}/wrong/build" -DASSAY_DEVICE=cpu "-DCMAKE_PREFIX_PATH=${prefix}")
endfunction()
try_project("version: 0\\.1\\.0" "project(p LANGUAGES C CXX)\nfind_package(Assay 99 REQUIRED)")
try_project("LANGUAGES C CXX" "project(p LANGUAGES C)\nfind_package(Assay REQUIRED)")
try_project("was added already" "project(p LANGUAGES C CXX)\nfind_package(Assay REQUIRED)\nassay_add_op(NAME clip DIR \"${project}/ops/clip\")\nassay_add_op(NAME clip DIR \"${project}/ops/clip\")")
try_project("does not exist" "project(p LANGUAGES C CXX)\nfind_package(Assay REQUIRED)\nassay_add_op(NAME nope DIR nope)")

# DESTDIR, as packagers use it: the files lie below it and work from there.
file(RENAME "${tree}.away" "${tree}")
must_run(out "${CMAKE_COMMAND}" -E env "DESTDIR=${outside}/stage" "${CMAKE_COMMAND}" --install "${build}" --prefix /opt/assay)
use_package("${outside}/stage/opt/assay" "${project}/build-staged")
file(REMOVE_RECURSE "${outside}")
