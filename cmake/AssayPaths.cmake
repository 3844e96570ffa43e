# Where the harness lies and where its products go. The harness is the source tree, or share/assay of an installed package; what it
# builds goes to the workspace folder, which is the build folder unless a project that uses the package says otherwise.
#
# Sets ASSAY_ROOT_DIR, ASSAY_WORKSPACE_DIR, ASSAY_MODULE_DIR, ASSAY_REFERENCE_DIR, ASSAY_BASELINE_DIR and, unless the package has set
# them, ASSAY_COMMAND, ASSAY_LIBEXEC_DIR and ASSAY_LIB_DIR.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH ASSAY_ROOT_DIR)
if(NOT ASSAY_WORKSPACE_DIR)
  set(ASSAY_WORKSPACE_DIR "${CMAKE_BINARY_DIR}")
endif()
set(ASSAY_MODULE_DIR "${ASSAY_WORKSPACE_DIR}/modules")
set(ASSAY_REFERENCE_DIR "${ASSAY_WORKSPACE_DIR}/references")
set(ASSAY_BASELINE_DIR "${ASSAY_WORKSPACE_DIR}/baselines")
if(NOT ASSAY_LIBEXEC_DIR)
  set(ASSAY_COMMAND "${ASSAY_WORKSPACE_DIR}/bin/assay")
  set(ASSAY_LIBEXEC_DIR "${ASSAY_WORKSPACE_DIR}/bin")
  set(ASSAY_LIB_DIR "${ASSAY_WORKSPACE_DIR}/lib")
endif()
