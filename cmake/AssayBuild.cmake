# How the harness itself is compiled: standards, build type, output folders. Only for the folder that builds it: a project that uses
# the installed package keeps its own settings.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  # The harness times kernels and computes references: an unoptimised default would only surprise.
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
    message(STATUS "Build type: RelWithDebInfo (none was given)")
  else()
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
  endif()
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Everything a build makes stays in the workspace folder; programs find assay.json one folder above them.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${ASSAY_WORKSPACE_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${ASSAY_WORKSPACE_DIR}/lib")
set(CMAKE_BUILD_RPATH "\$ORIGIN/../lib") # also right when bin/ and lib/ are moved together, as a bundle does
file(MAKE_DIRECTORY "${ASSAY_MODULE_DIR}" "${ASSAY_REFERENCE_DIR}" "${ASSAY_BASELINE_DIR}")
