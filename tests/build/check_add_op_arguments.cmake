# assay_add_op refuses unknown and missing arguments and names those there are.
cmake_policy(VERSION 3.25)
if(DEFINED CALL) # the child: one wrong call
  list(APPEND CMAKE_MODULE_PATH "${SOURCE}/cmake")
  set(ASSAY_SANITIZE none)
  include(AssayOp)
  cmake_language(EVAL CODE "assay_add_op(${CALL})")
  return()
endif()

function(expect_refusal call pattern)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${SOURCE}" "-DCALL=${call}" -P "${CMAKE_CURRENT_LIST_FILE}"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE err)
  if(status EQUAL 0 OR NOT err MATCHES "${pattern}")
    message(FATAL_ERROR "assay_add_op(${call}): exit ${status}, expected: ${pattern}\n${err}")
  endif()
endfunction()
expect_refusal("NAME add DIR ops/add COLOUR red" "unknown arguments: COLOUR;red; allowed: NAME, DIR")
expect_refusal("DIR ops/add" "NAME is missing; required: NAME, DIR")
expect_refusal("NAME add" "DIR is missing; required: NAME, DIR")
expect_refusal("NAME Add-1 DIR ops/add" "NAME 'Add-1' is no C identifier in lower case")
expect_refusal("NAME f32 DIR ops/add" "NAME 'f32' is taken: the target modules_f32")
expect_refusal("NAME all DIR ops/add" "NAME 'all' is taken: the target bench_all")
expect_refusal("NAME add DIR nowhere" "nowhere/op.json does not exist")
