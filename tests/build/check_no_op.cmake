# A tree without ops, and an op without kernels, must not configure: a suite that finds nothing to test must not look green.
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/scratch_tree.cmake")
set(tree "${BUILD}/tests/no-op")

function(expect_refusal pattern)
  file(REMOVE_RECURSE "${tree}/build")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${tree}" -B "${tree}/build" -DASSAY_DEVICE=cpu
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(status EQUAL 0)
    message(FATAL_ERROR "configured without complaint; expected: ${pattern}")
  endif()
  if(NOT err MATCHES "${pattern}")
    message(FATAL_ERROR "expected: ${pattern}\nconfigure said:\n${err}")
  endif()
endfunction()

scratch_tree_make("${tree}" "")
expect_refusal("no op found")
file(MAKE_DIRECTORY "${tree}/ops/add")
file(COPY "${SOURCE}/ops/add/op.json" DESTINATION "${tree}/ops/add")
expect_refusal("holds op.json but no kernel")
