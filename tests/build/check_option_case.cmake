# An option's value counts in any case of letters, also one that a build folder kept from when the option was a switch; the
# cache then holds it as it is written in the list.
cmake_policy(VERSION 3.25)
set(folder "${BUILD}/tests/option-case")
foreach(pair IN ITEMS "ASSAY_SIMT_CHECK:BOOL=OFF|off" "ASSAY_SIMT_CHECK:BOOL=ON|on" "ASSAY_SIMT_CHECK=Strict|strict"
    "ASSAY_DEVICE=CPU|cpu" "ASSAY_SANITIZE=Address,Undefined|address,undefined")
  string(REGEX REPLACE "\\|.*" "" option "${pair}")
  string(REGEX REPLACE "[:=].*" "" name "${pair}")
  string(REGEX REPLACE "^[^|]*\\|" "" wanted "${pair}")
  file(REMOVE_RECURSE "${folder}")
  file(WRITE "${folder}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(option_case LANGUAGES NONE)\n"
    "include(\"${SOURCE}/cmake/AssayOptions.cmake\")\nmessage(STATUS \"value: [\${${name}}]\")\n")
  foreach(arguments IN ITEMS "-D${option}" "") # configured anew, and again from the cache
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${folder}" -B "${folder}/build" ${arguments}
      RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT status EQUAL 0 OR NOT out MATCHES "value: \\[${wanted}\\]")
      message(FATAL_ERROR "${option}: exit ${status}, expected the value ${wanted}\n${out}${err}")
    endif()
  endforeach()
endforeach()
file(STRINGS "${folder}/build/CMakeCache.txt" kept REGEX "^ASSAY_SANITIZE:")
if(NOT kept STREQUAL "ASSAY_SANITIZE:STRING=address,undefined")
  message(FATAL_ERROR "the cache holds: ${kept}")
endif()
