# The libraries Assay stands on, as imported targets: assay_jansson, assay_libmd (SHA-256), benchmark::benchmark,
# assay_cmocka (tests only). A missing one names its package. docs/dependencies.md says what each is for.

# assay_find_library(TARGET <imported> HEADER <file> LIBRARY <name> PACKAGE <apt package> [OPTIONAL])
function(assay_find_library)
  cmake_parse_arguments(arg "OPTIONAL" "TARGET;HEADER;LIBRARY;PACKAGE" "" ${ARGN})
  string(TOUPPER "ASSAY_${arg_LIBRARY}" prefix)
  find_path(${prefix}_INCLUDE_DIR ${arg_HEADER})
  find_library(${prefix}_LIBRARY ${arg_LIBRARY})
  mark_as_advanced(${prefix}_INCLUDE_DIR ${prefix}_LIBRARY)
  if(NOT ${prefix}_INCLUDE_DIR OR NOT ${prefix}_LIBRARY)
    if(arg_OPTIONAL)
      return()
    endif()
    message(FATAL_ERROR " ${arg_HEADER} and lib${arg_LIBRARY} are needed and were not found; install them with: apt-get install ${arg_PACKAGE} (or: ./run setup)")
  endif()
  add_library(${arg_TARGET} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${arg_TARGET} PROPERTIES
    IMPORTED_LOCATION "${${prefix}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${prefix}_INCLUDE_DIR}")
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
assay_find_library(TARGET assay_jansson HEADER jansson.h LIBRARY jansson PACKAGE libjansson-dev)
assay_find_library(TARGET assay_libmd HEADER sha2.h LIBRARY md PACKAGE libmd-dev)
find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  message(FATAL_ERROR " Google Benchmark is needed and was not found; install it with: apt-get install libbenchmark-dev (or: ./run setup)")
endif()

if(BUILD_TESTING)
  assay_find_library(TARGET assay_cmocka HEADER cmocka.h LIBRARY cmocka PACKAGE libcmocka-dev OPTIONAL)
  if(NOT TARGET assay_cmocka)
    message(STATUS "Unit tests: skipped, cmocka was not found (apt-get install libcmocka-dev)")
  endif()
endif()

find_program(ASSAY_GNUPLOT gnuplot)
mark_as_advanced(ASSAY_GNUPLOT)
if(NOT ASSAY_GNUPLOT)
  message(STATUS "Plots: skipped until gnuplot is there (apt-get install gnuplot-nox); logs are written without them")
endif()
