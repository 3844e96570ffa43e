# The target `bundle`: one archive for a node that has a driver and nothing else. cmake/make-bundle.cmake does the packing.

set(bundle_cublas "")
if(ASSAY_BUNDLE_CUBLAS AND ASSAY_WITH_CUDA)
  set(bundle_cublas "${CUDAToolkit_LIBRARY_DIR}")
endif()
add_custom_target(bundle
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${ASSAY_ROOT_DIR}" "-DPROJECT=${CMAKE_SOURCE_DIR}" "-DBUILD=${ASSAY_WORKSPACE_DIR}"
          "-DCOMMAND=${ASSAY_COMMAND}" "-DLIBEXEC=${ASSAY_LIBEXEC_DIR}" "-DSTRIP=${CMAKE_STRIP}"
          "-DCUBLAS_FOLDER=${bundle_cublas}" -P "${ASSAY_ROOT_DIR}/cmake/make-bundle.cmake"
  USES_TERMINAL VERBATIM)
add_dependencies(bundle assay_programs modules)
get_property(ops GLOBAL PROPERTY ASSAY_OPS)
if(TARGET injected_modules)
  add_dependencies(bundle injected_modules)
endif()
if(TARGET assay_delayed)
  add_dependencies(bundle assay_delayed)
endif()
foreach(op IN LISTS ops)
  add_dependencies(bundle ${op}_reference)
endforeach()
