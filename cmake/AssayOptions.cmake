# The options a user sets, their allowed values, and where the build puts its products.

# string option with a checked list of values, in any case of letters: assay_choice(NAME DEFAULT "help" value...). A build folder
# may still hold ON or OFF from when the option was a switch.
function(assay_choice name default help)
  set(${name} "${default}" CACHE STRING "${help}")
  string(TOLOWER "${${name}}" value)
  if(NOT value STREQUAL "${${name}}" AND value IN_LIST ARGN)
    set(${name} "${value}" CACHE STRING "${help}" FORCE)
  endif()
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  if(NOT "${${name}}" IN_LIST ARGN)
    list(JOIN ARGN ", " allowed)
    message(FATAL_ERROR " ${name}=${${name}} is not known; allowed: ${allowed}")
  endif()
endfunction()

assay_choice(ASSAY_DEVICE auto "Device the kernels are built for" auto cpu cuda)
assay_choice(ASSAY_SANITIZE none "Sanitizers for the harness and, on the CPU device, for the kernels"
  none address undefined address,undefined thread)
assay_choice(ASSAY_SIMT_CHECK off "On the CPU device, judge every memory access of the kernels (slow; docs/simt-device.md); strict: also reads of unwritten shared memory"
  off on strict)
assay_choice(ASSAY_DEFAULT_MODULES all "Modules that a build without a target compiles: all, or those of the tests labelled smoke (f32); others on demand"
  all smoke)
option(ASSAY_WERROR "Treat compiler warnings as errors" OFF)
option(ASSAY_BUNDLE_CUBLAS "Put cuBLAS into the bundle instead of taking it from the node" OFF)
option(BUILD_TESTING "Build the unit tests and register all tests with CTest" ON)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  # The harness times kernels and computes references: an unoptimised default would only surprise.
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  message(STATUS "Build type: RelWithDebInfo (none was given)")
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Everything a build makes stays in the build folder; programs find assay.json one folder above them.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH "\$ORIGIN/../lib") # also right when bin/ and lib/ are moved together, as a bundle does
set(ASSAY_MODULE_DIR "${CMAKE_BINARY_DIR}/modules")
set(ASSAY_REFERENCE_DIR "${CMAKE_BINARY_DIR}/references")
set(ASSAY_PEER_DIR "${CMAKE_BINARY_DIR}/peers")
file(MAKE_DIRECTORY "${ASSAY_MODULE_DIR}" "${ASSAY_REFERENCE_DIR}" "${ASSAY_PEER_DIR}")
