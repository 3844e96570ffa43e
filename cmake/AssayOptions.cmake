# The options a user sets and their allowed values.

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

assay_choice(ASSAY_DEVICE auto "Device the kernels are built for" auto cpu cuda ptx)
assay_choice(ASSAY_SANITIZE none "Sanitizers for the harness and, on the CPU device, for the kernels"
  none address undefined address,undefined thread)
assay_choice(ASSAY_SIMT_CHECK off "On the CPU device, judge every memory access of the kernels (slow; docs/simt-device.md); strict: also reads of unwritten shared memory"
  off on strict)
assay_choice(ASSAY_DEFAULT_MODULES all "Modules that a build without a target compiles: all, those of the tests labelled smoke (f32), or none; others on demand"
  all smoke none)
option(ASSAY_OPTIMIZE_LAUNCHES "On cuda, optimise the host side of modules too; OFF compiles sooner, and device code is the same" ON)
set(ASSAY_BASELINE_ARCHITECTURES "" CACHE STRING "On cuda, architectures of the baselines in CUDA C++; empty: those of the kernels")
option(ASSAY_WERROR "Treat compiler warnings as errors" OFF)
option(ASSAY_BUNDLE_CUBLAS "Put cuBLAS into the bundle instead of taking it from the node" OFF)
option(BUILD_TESTING "Build the unit tests and register all tests with CTest" ON)
