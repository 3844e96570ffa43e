# Writes assay.json, which tells the programs where everything lies (docs/formats-programs.md). Rewritten only when it changes. No build
# rule depends on it: the commit recorded here changes often, and what a module depends on is in toolchain.json.

function(_assay_git out_commit out_dirty)
  set(commit unknown)
  set(dirty false)
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse HEAD WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
      OUTPUT_VARIABLE head RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      set(commit "${head}")
      execute_process(COMMAND "${GIT_EXECUTABLE}" --no-optional-locks status --porcelain WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        set(dirty true)
      endif()
    endif()
  endif()
  set(${out_commit} "${commit}" PARENT_SCOPE)
  set(${out_dirty} ${dirty} PARENT_SCOPE)
endfunction()

function(assay_write_workspace)
  set(ops "")
  get_property(names GLOBAL PROPERTY ASSAY_OPS)
  foreach(op IN LISTS names)
    get_property(dir GLOBAL PROPERTY ASSAY_OP_DIR_${op})
    assay_json_quote(dir "${dir}")
    assay_json_quote(reference "${ASSAY_REFERENCE_DIR}/${op}.so")
    set(more "")
    get_property(generated GLOBAL PROPERTY ASSAY_OP_GENERATED_${op})
    if(generated)
      assay_json_quote(generated "${generated}")
      set(more ", \"generated\": ${generated}")
    endif()
    list(APPEND ops "    {\"name\": \"${op}\", \"directory\": ${dir}, \"reference\": ${reference}${more}}")
  endforeach()
  list(JOIN ops ",\n" ops)
  _assay_git(commit dirty)
  foreach(pair IN ITEMS "source|${CMAKE_SOURCE_DIR}" "modules|${ASSAY_MODULE_DIR}" "baselines|${ASSAY_BASELINE_DIR}"
      "results|${ASSAY_WORKSPACE_DIR}/results" "libexec|${ASSAY_LIBEXEC_DIR}" "logs|${ASSAY_WORKSPACE_DIR}/logs"
      "plots|${ASSAY_WORKSPACE_DIR}/plots" "templates|${ASSAY_ROOT_DIR}/logs/templates")
    string(REGEX REPLACE "\\|.*" "" key "${pair}")
    string(REGEX REPLACE "^[^|]*\\|" "" value "${pair}")
    assay_json_quote(value "${value}")
    string(APPEND folders "  \"${key}\": ${value},\n")
  endforeach()
  set(content "{
  \"schema\": 1,
  \"device\": \"${ASSAY_DEVICE_KIND}\",
${folders}  \"ops\": [
${ops}
  ],
  \"toolchain\": ${ASSAY_TOOLCHAIN_JSON},
  \"checked_toolchain\": ${ASSAY_CHECKED_TOOLCHAIN_JSON},
  \"ptx_toolchain\": ${ASSAY_PTX_TOOLCHAIN_JSON},
  \"device_code_toolchain\": ${ASSAY_DEVICE_CODE_TOOLCHAIN_JSON},
  \"outside_toolchain\": ${ASSAY_OUTSIDE_TOOLCHAIN_JSON},
  \"git\": {\"commit\": \"${commit}\", \"dirty\": ${dirty}},
  \"versions\": {\"assay\": \"${ASSAY_VERSION}\", \"cmake\": \"${CMAKE_VERSION}\", \"build_type\": \"${CMAKE_BUILD_TYPE}\", \"sanitize\": \"${ASSAY_SANITIZE}\"}
}
")
  file(CONFIGURE OUTPUT "${ASSAY_WORKSPACE_DIR}/assay.json" CONTENT "@content@" @ONLY)
endfunction()
assay_write_workspace()
