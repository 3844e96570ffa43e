# What find_package(Assay) does in the project that calls it: choose the device, take the installed programs or build them, define
# assay_add_op(), and, when the calling folder is done, write assay.json and add the targets that run benchmarks and reports.
#
# Read by AssayConfig.cmake, which says where the package lies. Everything else is what the source tree's own build includes.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

set(ASSAY_PROBLEM "")
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
get_property(folder GLOBAL PROPERTY ASSAY_PACKAGE_FOLDER)
if(NOT "C" IN_LIST languages OR NOT "CXX" IN_LIST languages)
  set(ASSAY_PROBLEM "references are C and kernels C++: enable both with project(NAME LANGUAGES C CXX)")
elseif(folder AND NOT ASSAY_PACKAGE)
  set(ASSAY_PROBLEM "it was already called in ${folder}; call it once, in a folder above all ops")
endif()
if(ASSAY_PROBLEM)
  set(Assay_FOUND FALSE)
  set(Assay_NOT_FOUND_MESSAGE "find_package(Assay): ${ASSAY_PROBLEM}")
  cmake_policy(POP)
  return()
endif()
if(ASSAY_PACKAGE) # called again below the first call
  cmake_policy(POP)
  return()
endif()
set(ASSAY_PACKAGE ON)
set_property(GLOBAL PROPERTY ASSAY_PACKAGE_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}")

list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include(AssayOptions)
assay_choice(ASSAY_HARNESS auto
  "Programs of the package: the installed ones, or built here; auto: built where the device or its flags differ" auto installed source)
include(AssayDevice)
include(AssaySanitize)
include(AssayWarnings)

set(ASSAY_BUILD_HARNESS OFF)
if(NOT ASSAY_DEVICE_KIND STREQUAL "cpu" OR NOT ASSAY_INSTALLED_DEVICE STREQUAL "cpu" OR NOT ASSAY_SANITIZE STREQUAL ASSAY_INSTALLED_SANITIZE)
  set(ASSAY_BUILD_HARNESS ON) # CUDA's flags, and those of sanitizers, are this project's
endif()
if(ASSAY_HARNESS STREQUAL "source")
  set(ASSAY_BUILD_HARNESS ON)
elseif(ASSAY_HARNESS STREQUAL "installed" AND ASSAY_BUILD_HARNESS)
  message(FATAL_ERROR " ASSAY_HARNESS=installed: the installed programs are for ASSAY_DEVICE=${ASSAY_INSTALLED_DEVICE} and ASSAY_SANITIZE=${ASSAY_INSTALLED_SANITIZE}, not ${ASSAY_DEVICE_KIND} and ${ASSAY_SANITIZE}")
endif()

if(NOT ASSAY_BUILD_HARNESS)
  set(ASSAY_COMMAND "${ASSAY_INSTALLED_BIN}/assay")
  set(ASSAY_LIBEXEC_DIR "${ASSAY_INSTALLED_LIBEXEC}")
  set(ASSAY_LIB_DIR "${ASSAY_INSTALLED_LIB}")
endif()
include(AssayPaths)
file(MAKE_DIRECTORY "${ASSAY_MODULE_DIR}" "${ASSAY_REFERENCE_DIR}" "${ASSAY_BASELINE_DIR}" "${ASSAY_WORKSPACE_DIR}/bin")
include(AssayTest)
include(AssayToolchain)
include(AssayResources)
include(AssayOp)

if(ASSAY_BUILD_HARNESS)
  message(STATUS "Assay ${ASSAY_VERSION}: the harness is built here, for the device ${ASSAY_DEVICE_KIND}")
  add_subdirectory("${ASSAY_ROOT_DIR}" "${CMAKE_BINARY_DIR}/assay-harness")
  assay_glob(scripts "${ASSAY_INSTALLED_LIBEXEC}" *.py)
  if(scripts)
    file(COPY ${scripts} DESTINATION "${ASSAY_LIBEXEC_DIR}")
  endif()
else()
  message(STATUS "Assay ${ASSAY_VERSION}: programs of ${ASSAY_INSTALLED_BIN}")
  add_library(assay_core STATIC IMPORTED GLOBAL)
  set_target_properties(assay_core PROPERTIES IMPORTED_LOCATION "${ASSAY_INSTALLED_LIB}/libassay_core.a")
  # The command where the pages say it is; it then finds this build by itself.
  file(CONFIGURE OUTPUT "${ASSAY_WORKSPACE_DIR}/bin/assay" @ONLY CONTENT [[#!/bin/sh
ASSAY_BUILD=${ASSAY_BUILD:-'@ASSAY_WORKSPACE_DIR@'} exec '@ASSAY_COMMAND@' "$@"
]])
  file(CHMOD "${ASSAY_WORKSPACE_DIR}/bin/assay" PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
assay_add_module_targets()

# Runs at the end of the folder that called find_package(Assay), when all ops are known.
function(_assay_finish_project)
  get_property(ops GLOBAL PROPERTY ASSAY_OPS)
  set_property(GLOBAL PROPERTY ASSAY_FINISHED ON)
  if(NOT ops)
    message(WARNING "find_package(Assay) was called and no op was added; add one with assay_add_op(NAME <op> DIR <folder>)")
    return()
  endif()
  include(AssayWorkspace)
  include(AssayTargets)
  include(AssayBundle)
  assay_print_ops()
endfunction()
cmake_language(DEFER CALL _assay_finish_project)
cmake_policy(POP)
