# A misspelt option value must be refused with the values that exist.
cmake_policy(VERSION 3.25)
foreach(pair IN ITEMS "ASSAY_DEVICE=gpu|auto, cpu, cuda" "ASSAY_SANITIZE=memory|none, address, undefined")
  string(REGEX REPLACE "\\|.*" "" option "${pair}")
  string(REGEX REPLACE "^[^|]*\\|" "" allowed "${pair}")
  file(REMOVE_RECURSE "${BUILD}/tests/unknown-option")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}/tests/unknown-option" "-D${option}"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE err)
  if(status EQUAL 0 OR NOT err MATCHES "${option} is not known; allowed: ${allowed}")
    message(FATAL_ERROR "${option}: exit ${status}\n${err}")
  endif()
endforeach()
