# ./run: wrong use gives status 2 and names what there is; help gives 0.
cmake_policy(VERSION 3.25)
function(expect status_expected pattern)
  execute_process(COMMAND "${SOURCE}/run" ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL status_expected OR NOT "${out}${err}" MATCHES "${pattern}")
    message(FATAL_ERROR "run ${ARGN}: expected exit ${status_expected} and '${pattern}', got ${status}:\n${out}${err}")
  endif()
endfunction()
expect(0 "usage: ./run bench" help)
expect(0 "^usage: ./run bench" bench --help) # before anything is configured or built
expect(0 "^usage: ./run bench" test -h)
expect(2 "unknown command \"bnech\"" bnech)
set(ENV{ASSAY_DEVICE} gpu)
expect(2 "ASSAY_DEVICE=gpu is not known; allowed: cpu, cuda" setup)
