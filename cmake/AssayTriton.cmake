# Variants in Triton, v*_triton.py beside the v*.cu: the build turns them into kernel files of its own (docs/triton.md), which are then variants
# like any other. Only for devices that take PTX, and only where a Python with Triton is: ASSAY_PYTHON, or python3.

set(ASSAY_TRITON_SCRIPT "${ASSAY_ROOT_DIR}/build_module/triton/triton_source.py")

# The Python that has Triton; "" where none has, with the reason said once. Kept in the cache, since CMake also runs by itself, without the
# environment of the first time.
function(_assay_find_triton out)
  get_property(asked GLOBAL PROPERTY ASSAY_TRITON_FOUND SET)
  if(NOT asked)
    set(python "${ASSAY_TRITON_PYTHON}")
    if(DEFINED ENV{ASSAY_PYTHON})
      set(python "$ENV{ASSAY_PYTHON}")
    elseif(NOT python)
      find_program(python3 python3 NO_CACHE)
      if(python3)
        set(python "${python3}")
      endif()
    endif()
    set(status 1)
    if(python)
      execute_process(COMMAND "${python}" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('triton') is None)"
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(NOT status EQUAL 0)
      message(STATUS "Variants in Triton: left out, no Python with Triton was found (python3, or the one that ASSAY_PYTHON names)")
      set(python "")
    endif()
    set(ASSAY_TRITON_PYTHON "${python}" CACHE INTERNAL "Python with Triton")
    set_property(GLOBAL PROPERTY ASSAY_TRITON_FOUND "${python}")
  endif()
  get_property(python GLOBAL PROPERTY ASSAY_TRITON_FOUND)
  set(${out} "${python}" PARENT_SCOPE)
endfunction()

# The names of an op's variants in Triton that this build takes, each with a rule that writes FOLDER/VARIANT.cu. What cannot be taken becomes a file
# that does not compile and says why, so that it costs its own cases alone.
function(_assay_add_triton_variants out op dir folder dtypes)
  set(variants "")
  assay_glob(files "${dir}" v*_triton.py)
  if(files AND ASSAY_DEVICE_KIND MATCHES "^(cuda|ptx)$")
    _assay_find_triton(python)
    list(JOIN dtypes "," words)
    foreach(file IN LISTS files)
      if(NOT python)
        break()
      endif()
      cmake_path(GET file STEM LAST_ONLY variant)
      file(MAKE_DIRECTORY "${folder}")
      add_custom_command(
        OUTPUT "${folder}/${variant}.cu"
        COMMAND "${python}" -W ignore -B "${ASSAY_TRITON_SCRIPT}" "${file}" --header "${dir}/${op}.h" --dtypes ${words} --always
                -o "${folder}/${variant}.cu"
        DEPENDS "${file}" "${dir}/${op}.h" "${ASSAY_TRITON_SCRIPT}"
        COMMENT "Triton compiles ${op}.${variant}"
        VERBATIM)
      add_custom_target(triton_${op}_${variant} DEPENDS "${folder}/${variant}.cu")
      list(APPEND variants "${variant}")
    endforeach()
  endif()
  set(${out} "${variants}" PARENT_SCOPE)
endfunction()
