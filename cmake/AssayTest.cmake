# Unit tests of the harness itself. They go to CTest as `unit.<area>.<what>` with the labels `unit` and the area.

if(BUILD_TESTING)
  enable_testing()
endif()

# assay_add_unit_test(NAME <area>.<what> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...] [TIMEOUT <seconds>]
#                     [ENVIRONMENT <NAME=value>...] [ARGUMENTS <argument>...])
# Builds one program with cmocka and registers it. Without cmocka the test is registered and reported as skipped, so that its
# absence is seen.
function(assay_add_unit_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT;ARGUMENTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR " assay_add_unit_test: unknown arguments: ${arg_UNPARSED_ARGUMENTS}; allowed: NAME, SOURCES, LIBRARIES, LABELS, TIMEOUT, ENVIRONMENT, ARGUMENTS")
  endif()
  foreach(key IN ITEMS NAME SOURCES)
    if(NOT arg_${key})
      message(FATAL_ERROR " assay_add_unit_test: ${key} is missing")
    endif()
  endforeach()
  if(NOT BUILD_TESTING)
    return()
  endif()
  set(test "unit.${arg_NAME}")
  string(REGEX REPLACE "\\..*" "" area "${arg_NAME}")
  if(TARGET assay_cmocka)
    string(MAKE_C_IDENTIFIER "test_${arg_NAME}" target)
    add_executable(${target} ${arg_SOURCES})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}") # tests/unit.h
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} assay_cmocka assay_warnings)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>) # compiled more often than run
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/bin")
    add_test(NAME ${test} COMMAND ${target} ${arg_ARGUMENTS})
  else()
    assay_claim_sources(${arg_SOURCES})
    add_test(NAME ${test} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: cmocka was not found when this build was configured")
    set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: cmocka")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${test} PROPERTIES
    LABELS "unit;${area};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT};ASSAY_BUILD=${CMAKE_BINARY_DIR};ASSAY_SOURCE=${CMAKE_SOURCE_DIR};${arg_ENVIRONMENT}")
endfunction()

# assay_claim_sources(<file>...): name files that no target compiles because a test compiles or reads them itself, so that the
# check for forgotten files (AssaySourceCheck.cmake) knows them. Relative to the calling folder. What a build makes is no source.
function(assay_claim_sources)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${file}" is_made)
    if(is_made)
      continue()
    endif()
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR " assay_claim_sources: ${file} does not exist")
    endif()
    set_property(GLOBAL APPEND PROPERTY ASSAY_CLAIMED_SOURCES "${file}")
  endforeach()
endfunction()
