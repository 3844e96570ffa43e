# The target injected_modules: kernels of tests/sanitizer, each with a mistake that one of compute-sanitizer's tools must report, as
# modules in the folder `injected`. Built also without tests, because bundles take them along.
set(ASSAY_INJECTED_DIR "${ASSAY_ROOT_DIR}/tests/sanitizer")
if(NOT ASSAY_DEVICE_KIND STREQUAL "cuda")
  return()
endif()
assay_glob(injected "${ASSAY_INJECTED_DIR}" *.cu)
set(records "")
foreach(source IN LISTS injected)
  cmake_path(GET source STEM stem)
  set(record "${ASSAY_WORKSPACE_DIR}/injected/add.${stem}.f32.json")
  add_custom_command(
    OUTPUT "${record}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${ASSAY_WORKSPACE_DIR}/injected"
    COMMAND "${ASSAY_LIBEXEC_DIR}/assay-module" --workspace "${ASSAY_WORKSPACE_DIR}" --op add --source "${source}" --dtype f32
            --out "${record}"
    DEPENDS "${source}" "${ASSAY_TOOLCHAIN_FILE}" assay-module
    COMMENT "Module with an injected mistake: ${stem}"
    VERBATIM)
  list(APPEND records "${record}")
endforeach()
# What was built of kernels since removed would be tried, too.
assay_glob(built "${ASSAY_WORKSPACE_DIR}/injected" *.json)
foreach(record IN LISTS built)
  if(NOT record IN_LIST records)
    string(REGEX REPLACE "\\.json$" ".so" library "${record}")
    file(REMOVE "${record}" "${library}")
  endif()
endforeach()
add_custom_target(injected_modules ALL DEPENDS ${records})
add_dependencies(injected_modules add_reference)
