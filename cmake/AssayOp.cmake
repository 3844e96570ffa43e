# assay_add_op(): from an op's folder to its reference, modules, tests and benchmark targets. Everything is derived from op.json
# and from the v*.cu files that lie there; nothing is typed twice.
#
# Names: module OP.VARIANT.DTYPE, test correctness.OP.VARIANT.DTYPE.SIZE, target bench_OP_VARIANT_DTYPE_SIZE (cmake/AssayTargets.cmake).
include(AssayGlob)
include(AssayJson)

include(AssayPaths)
set(ASSAY_CASE_TIMEOUT 600)
if(NOT ASSAY_SANITIZE STREQUAL "none")
  set(ASSAY_CASE_TIMEOUT 2400)
endif()

# The variants of a folder: stems of v*.cu, sorted. Names become parts of test names and C paths, so they are held to identifiers.
function(_assay_find_variants out dir)
  assay_glob(files "${dir}" v*.cu)
  set(variants "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY stem)
    if(NOT stem MATCHES "^v[A-Za-z0-9_]+$")
      message(FATAL_ERROR " ${file}: a variant's file name may hold letters, digits and underscores only, such as v5_mine.cu")
    endif()
    list(APPEND variants "${stem}")
  endforeach()
  if(NOT variants)
    message(FATAL_ERROR " ${dir}: holds op.json but no kernel; add at least one v*.cu, such as v1_baseline.cu")
  endif()
  set(${out} "${variants}" PARENT_SCOPE)
endfunction()

# The text of DIR/op.json. Only what names of targets and tests come from is looked at here: dtypes and sizes.
function(_assay_read_op out dir op)
  file(READ "${dir}/op.json" json)
  string(JSON given ERROR_VARIABLE broken GET "${json}" name)
  if(broken)
    string(REPLACE "\n" " " broken "${broken}")
    message(FATAL_ERROR " ${dir}/op.json: not valid JSON, or no name in it: ${broken}")
  elseif(NOT given STREQUAL op)
    message(FATAL_ERROR " ${dir}/op.json: key \"name\" is \"${given}\"; it must be the op's name: ${op}")
  endif()
  assay_json_list(dtypes "${json}" dtypes)
  assay_json_keys(sizes "${json}" sizes)
  foreach(key IN ITEMS dtypes sizes)
    if(NOT ${key} OR NOT "${${key}}" MATCHES "^[A-Za-z0-9_;]+$")
      message(FATAL_ERROR " ${dir}/op.json: key \"${key}\" is missing, empty, or has names with other than letters, digits and underscores")
    endif()
  endforeach()
  set(${out} "${json}" PARENT_SCOPE)
endfunction()

# Target check_op_<op>: assay-check-op holds op.json to its rules, and what it writes holds it to the op's argument struct when it is compiled.
# All modules and the reference wait for it; none is built again because of it.
function(_assay_add_op_check op dir variants)
  set(folder "${ASSAY_WORKSPACE_DIR}/checked_ops")
  list(JOIN variants "\n" names)
  file(CONFIGURE OUTPUT "${folder}/${op}.variants" CONTENT "@names@\n" @ONLY) # op.json may name one that is gone
  set(tool "")
  if(TARGET assay-check-op)
    set(tool assay-check-op)
  endif()
  add_custom_command(
    OUTPUT "${folder}/${op}.c"
    COMMAND "${ASSAY_LIBEXEC_DIR}/assay-check-op" "${dir}" "${folder}/${op}.c"
    DEPENDS "${dir}/op.json" "${folder}/${op}.variants" ${tool}
    COMMENT "Checking op.json of ${op}"
    VERBATIM)
  add_library(check_op_${op} OBJECT "${folder}/${op}.c")
  target_include_directories(check_op_${op} PRIVATE "${ASSAY_ROOT_DIR}/include" "${dir}")
  set_target_properties(check_op_${op} PROPERTIES C_STANDARD 11)
  add_dependencies(${op}_reference check_op_${op})
endfunction()

# reference.c as a shared object. Without contraction, so that the expected output is the same bits on every host.
function(_assay_add_reference op dir)
  if(NOT EXISTS "${dir}/reference.c")
    message(FATAL_ERROR " ${dir}: reference.c is missing; it computes the op in double and is needed to judge any kernel")
  endif()
  add_library(${op}_reference MODULE "${dir}/reference.c")
  target_include_directories(${op}_reference PRIVATE "${ASSAY_ROOT_DIR}/include" "${dir}")
  # A function that is not there would else be found out only when the reference is loaded, without a line.
  target_compile_options(${op}_reference PRIVATE -O3 -ffp-contract=off -Werror=implicit-function-declaration)
  # The archive gives assay_error_set and nothing else; what it would drag in is dropped.
  target_link_libraries(${op}_reference PRIVATE assay_warnings m)
  target_link_options(${op}_reference PRIVATE -Wl,--as-needed)
  if(TARGET assay_core)
    target_link_libraries(${op}_reference PRIVATE assay_core)
  endif()
  set_target_properties(${op}_reference PROPERTIES C_STANDARD 11
    PREFIX "" OUTPUT_NAME ${op} LIBRARY_OUTPUT_DIRECTORY "${ASSAY_REFERENCE_DIR}")
  # What it was made of, so that verdicts and results of another reference are known as such.
  set(stem "${ASSAY_REFERENCE_DIR}/${op}")
  add_custom_command(TARGET ${op}_reference POST_BUILD
    COMMAND "${CMAKE_C_COMPILER}" -std=c11 -MM "-I${ASSAY_ROOT_DIR}/include" "-I${dir}" "${dir}/reference.c" -MF "${stem}.d"
    COMMAND "${ASSAY_LIBEXEC_DIR}/assay-module" --hash-listed "${stem}.d" --out "${stem}.sha256"
    VERBATIM)
  if(TARGET assay-module)
    add_dependencies(${op}_reference assay-module)
  endif()
endfunction()

# The Makefile generators add what a depfile says to what it said before, so a module whose header is gone (removed, or an installed
# package that moved) would be made again at every build. Where the depfile names such a file, forget it and all that was known.
function(_assay_forget_gone_headers depfile record known)
  if(NOT EXISTS "${depfile}")
    return()
  endif()
  file(READ "${depfile}" files)
  string(REGEX REPLACE "^[^:]*:" "" files "${files}")
  string(REPLACE "\\\n" " " files "${files}")
  string(REPLACE "\\ " "\t" files "${files}") # a blank within a path
  string(REGEX REPLACE "[ \n]+" ";" files "${files}")
  foreach(file IN LISTS files)
    string(REPLACE "\t" " " file "${file}")
    if(file AND NOT EXISTS "${file}")
      file(REMOVE "${depfile}" "${record}" "${known}.internal" "${known}.make")
      return()
    endif()
  endforeach()
endfunction()

# One variant for one dtype, with `winners` from the caller. `assay-module` writes the record also when the kernel does not compile, so that a broken kernel
# costs its own tests only. The tool and the CPU runtime come first but are no inputs: a relinked tool rebuilds no kernel.
function(_assay_add_module op dir variant dtype)
  set(source "${dir}/${variant}.cu")
  set(record "${ASSAY_MODULE_DIR}/${op}.${variant}.${dtype}.json")
  set(library "${ASSAY_MODULE_DIR}/${op}.${variant}.${dtype}.so")
  set(depfile "${ASSAY_MODULE_DIR}/${op}.${variant}.${dtype}.d")
  # The library is an output too: where a kernel does not compile it is missing, so the next build tries again and says so again.
  add_custom_command(
    OUTPUT "${record}" "${library}"
    COMMAND "${ASSAY_LIBEXEC_DIR}/assay-module" --workspace "${ASSAY_WORKSPACE_DIR}" --op ${op} --source "${source}"
            --dtype ${dtype} --out "${record}" --depfile "${depfile}"
    DEPENDS "${source}" "${dir}/op.json" ${winners} "${ASSAY_TOOLCHAIN_FILE}"
    DEPFILE "${depfile}"
    COMMENT "Module ${op}.${variant}.${dtype}"
    VERBATIM)
  set(target module_${op}_${variant}_${dtype})
  add_custom_target(${target} DEPENDS "${record}")
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    _assay_forget_gone_headers("${depfile}" "${record}" "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/compiler_depend")
  endif()
  foreach(tool IN ITEMS assay-module assay_simt assay_simt_check)
    if(TARGET ${tool})
      add_dependencies(${target} ${tool})
    endif()
  endforeach()
  add_dependencies(${target} check_op_${op})
  add_dependencies(modules_${op} ${target})
  if(NOT TARGET modules_${dtype})
    add_custom_target(modules_${dtype})
  endif()
  add_dependencies(modules_${dtype} ${target})
  if(ASSAY_DEFAULT_MODULES STREQUAL "all" OR (ASSAY_DEFAULT_MODULES STREQUAL "smoke" AND dtype STREQUAL "f32")) # f32: see the label smoke below
    add_dependencies(default_modules ${target})
  endif()
endfunction()

# Tests repeat: their inputs come from one seed, where `assay verify` by hand draws one.
function(_assay_add_case_test op variant dtype size)
  set(test correctness.${op}.${variant}.${dtype}.${size})
  set(labels correctness ${op} ${variant} ${dtype} ${size} ${ASSAY_DEVICE_KIND})
  if(dtype STREQUAL "f32" AND size STREQUAL "small")
    list(APPEND labels smoke)
  endif()
  # bf16 takes the same paths as f16, tf32 is one op's, and `./run test` has to end in ten minutes; .ci/run has all.
  if(dtype MATCHES "^(f16|tf32)$" AND NOT size STREQUAL "small")
    list(APPEND labels long)
  endif()
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" verify --build "${ASSAY_WORKSPACE_DIR}"
    --op ${op} --variant ${variant} --dtype ${dtype} --size ${size} --seed 20260)
  set_tests_properties(${test} PROPERTIES
    LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT ${ASSAY_CASE_TIMEOUT} ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  if(ASSAY_DEVICE_KIND STREQUAL "cuda")
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK gpu)
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_CASE_TESTS ${test})
endfunction()

# Problems with more than 2^31 elements in a tensor, all of an op's in one test. Not a correctness test: it needs tens of GB of GPU
# memory, and where that is not free, or on the CPU device, it is reported as skipped.
function(_assay_add_huge_test op variant dtype)
  set(test huge.${op}.${variant}.${dtype})
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" verify --build "${ASSAY_WORKSPACE_DIR}"
    --op ${op} --variant ${variant} --dtype ${dtype} --size huge --seed 20260)
  set_tests_properties(${test} PROPERTIES
    LABELS "huge;${op};${variant};${dtype};${ASSAY_DEVICE_KIND}" SKIP_RETURN_CODE 77 TIMEOUT ${ASSAY_CASE_TIMEOUT}
    ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}" RESOURCE_LOCK gpu)
endfunction()

# An op's variants under each tool of compute-sanitizer, in f32, tf32 and bf16. One test an op and tool, because starting under the tool takes
# ten times as long as what a kernel does there; each variant has a line and a file of its own. Not under RESOURCE_LOCK gpu: nothing is
# timed, so several may share the card.
function(_assay_add_sanitizer_tests op)
  foreach(tool IN ITEMS memcheck racecheck initcheck synccheck)
    set(test sanitizer.${tool}.${op})
    add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" sanitize --build "${ASSAY_WORKSPACE_DIR}" --op ${op} --tool ${tool})
    set_tests_properties(${test} PROPERTIES LABELS "sanitizer;${tool};${op};cuda" SKIP_RETURN_CODE 77
      TIMEOUT 1800 ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# The dtypes for which a size (or "edge", or "huge") of an op exists.
function(assay_dtypes_of_size out json size)
  assay_json_list(dtypes "${json}" dtypes)
  if(size STREQUAL "huge")
    set(restricted "")
    string(JSON count ERROR_VARIABLE missing LENGTH "${json}" huge_cases)
    if(NOT missing AND count GREATER 0)
      math(EXPR last "${count} - 1")
      foreach(i RANGE ${last})
        assay_json_list(more "${json}" huge_cases ${i} dtypes)
        list(APPEND restricted ${more})
      endforeach()
    endif()
  else()
    assay_json_list(restricted "${json}" sizes "${size}" dtypes)
    if(size STREQUAL "edge" OR NOT restricted)
      set(restricted ${dtypes})
    endif()
  endif()
  set(kept "") # what is no dtype of the op is refused by assay-check-op, and names nothing here
  foreach(dtype IN LISTS dtypes)
    if(dtype IN_LIST restricted)
      list(APPEND kept ${dtype})
    endif()
  endforeach()
  set(${out} "${kept}" PARENT_SCOPE)
endfunction()

# Those of some dtypes that a variant is for: op.json's variant_dtypes, all where the variant is not in it.
function(assay_dtypes_of_variant out json variant)
  set(dtypes "")
  assay_json_list(only "${json}" variant_dtypes ${variant})
  foreach(dtype IN LISTS ARGN)
    if(NOT only OR dtype IN_LIST only)
      list(APPEND dtypes ${dtype})
    endif()
  endforeach()
  set(${out} "${dtypes}" PARENT_SCOPE)
endfunction()

# What a variant needs of the hardware, held against its budgets in op.json. Needs nvcc and no GPU.
function(_assay_add_resources_test op variant)
  set(test resources.${op}.${variant})
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" resources --build "${ASSAY_WORKSPACE_DIR}" --op ${op} --variant ${variant} --check)
  set_tests_properties(${test} PROPERTIES LABELS "resources;${op};${variant}" SKIP_RETURN_CODE 77 TIMEOUT 60)
endfunction()

# What the variants with budgets.VARIANT.counts do, held against these: exact, by the device ptx, which needs nvcc and no GPU. A build for cpu
# compiles them for it.
function(_assay_add_counts_test op json)
  if(NOT ASSAY_PTX_NVCC OR NOT ASSAY_SANITIZE STREQUAL "none" OR ASSAY_DEVICE_KIND STREQUAL "cuda" OR NOT json MATCHES "\"counts\":")
    return()
  endif()
  set(test counts.${op})
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" count ${op} --build "${ASSAY_WORKSPACE_DIR}" --check)
  set_tests_properties(${test} PROPERTIES LABELS "counts;${op}" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()

# Golden cases are files named after their op; one test runs all of them through every variant.
function(_assay_add_golden_test op)
  set(folder "${CMAKE_SOURCE_DIR}/tests/golden")
  assay_glob(cases "${folder}" "${op}.*")
  if(NOT cases)
    return()
  endif()
  add_test(NAME golden.${op} COMMAND "${ASSAY_COMMAND}" verify --build "${ASSAY_WORKSPACE_DIR}" --golden "${folder}" --op ${op})
  set_tests_properties(golden.${op} PROPERTIES
    LABELS "golden;correctness;${op};${ASSAY_DEVICE_KIND}" SKIP_RETURN_CODE 77 TIMEOUT ${ASSAY_CASE_TIMEOUT}
    ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  if(ASSAY_DEVICE_KIND STREQUAL "cuda")
    set_tests_properties(golden.${op} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

# Library baselines in the op's own folder, baseline_NAME.c or .cu, by the rules of bench/baselines/CMakeLists.txt, whose functions these are.
function(_assay_add_op_baselines op dir dtypes)
  assay_glob(files "${dir}" baseline_*.c baseline_*.cu)
  if(NOT files)
    return()
  endif()
  assay_claim_sources(${files})
  if(NOT ASSAY_WITH_CUDA)
    return() # said once, by bench/baselines
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file STEM baseline)
    string(REGEX REPLACE "^baseline_" "" baseline "${baseline}")
    assay_baseline_libraries("${file}" libraries missing)
    if(missing)
      message(STATUS "Baselines: ${op}.${baseline} left out, the CUDA toolkit here has no ${missing}")
      continue()
    endif()
    foreach(dtype IN LISTS dtypes)
      assay_add_baseline("${file}" ${op} ${baseline} ${dtype} "${libraries}")
      target_include_directories(baseline_${op}_${baseline}_${dtype} PRIVATE "${ASSAY_ROOT_DIR}/include" "${ASSAY_ROOT_DIR}/bench/baselines" "${dir}")
    endforeach()
  endforeach()
endfunction()

# assay_add_op(NAME <op> DIR <folder>)
# Adds the op in DIR: targets <op>_reference, modules_<op>, module_*, bench_<op>*, and its correctness and golden tests.
function(assay_add_op)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;DIR" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR " assay_add_op: unknown arguments: ${arg_UNPARSED_ARGUMENTS}; allowed: NAME, DIR")
  endif()
  foreach(key IN ITEMS NAME DIR)
    if(NOT arg_${key})
      message(FATAL_ERROR " assay_add_op: ${key} is missing; required: NAME, DIR")
    endif()
  endforeach()
  get_property(finished GLOBAL PROPERTY ASSAY_FINISHED)
  if(finished)
    message(FATAL_ERROR " assay_add_op: the folder that called find_package(Assay) is done; call it in a folder above all ops")
  endif()
  set(op "${arg_NAME}")
  get_property(known GLOBAL PROPERTY ASSAY_OPS)
  if(op IN_LIST known)
    message(FATAL_ERROR " assay_add_op: NAME '${op}' was added already")
  endif()
  if(NOT op MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR " assay_add_op: NAME '${op}' is no C identifier in lower case")
  endif()
  if(op STREQUAL "all")
    message(FATAL_ERROR " assay_add_op: NAME 'all' is taken: the target bench_all times all ops")
  endif()
  if(op MATCHES "^(f32|tf32|f16|bf16)$")
    message(FATAL_ERROR " assay_add_op: NAME '${op}' is taken: the target modules_${op} compiles all modules of that dtype")
  endif()
  cmake_path(ABSOLUTE_PATH arg_DIR BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE dir)
  if(NOT EXISTS "${dir}/op.json")
    message(FATAL_ERROR " assay_add_op: ${dir}/op.json does not exist")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${dir}/op.json")
  _assay_find_variants(variants "${dir}")
  _assay_read_op(json "${dir}" ${op})

  assay_glob(winners "${dir}" best/*.json) # values of tunables that the tuner found, for _assay_add_module()
  assay_json_list(dtypes "${json}" dtypes)
  assay_json_keys(sizes "${json}" sizes)
  set_property(GLOBAL APPEND PROPERTY ASSAY_OPS ${op})
  set_property(GLOBAL PROPERTY ASSAY_OP_DIR_${op} "${dir}")
  set_property(GLOBAL PROPERTY ASSAY_OP_VARIANTS_${op} "${variants}")
  set_property(GLOBAL PROPERTY ASSAY_OP_SIZES_${op} "${sizes}")
  foreach(size IN LISTS sizes)
    assay_dtypes_of_size(restricted "${json}" ${size})
    set_property(GLOBAL PROPERTY ASSAY_OP_DTYPES_${op}_${size} "${restricted}")
  endforeach()

  _assay_add_reference(${op} "${dir}")
  _assay_add_op_check(${op} "${dir}" "${variants}")
  assay_add_module_targets()
  add_custom_target(modules_${op})
  add_dependencies(modules modules_${op})
  foreach(variant IN LISTS variants)
    assay_claim_sources("${dir}/${variant}.cu")
    assay_dtypes_of_variant(offered "${json}" ${variant} ${dtypes})
    set_property(GLOBAL PROPERTY ASSAY_OP_VARIANT_DTYPES_${op}_${variant} "${offered}")
    foreach(dtype IN LISTS offered)
      _assay_add_module(${op} "${dir}" ${variant} ${dtype})
    endforeach()
  endforeach()
  _assay_add_op_baselines(${op} "${dir}" "${dtypes}")
  if(NOT BUILD_TESTING)
    return()
  endif()
  string(JSON edges ERROR_VARIABLE missing LENGTH "${json}" edge_cases)
  if(NOT missing AND edges GREATER 0)
    list(APPEND sizes edge)
  endif()
  foreach(size IN LISTS sizes)
    assay_dtypes_of_size(dtypes "${json}" ${size})
    foreach(variant IN LISTS variants)
      assay_dtypes_of_variant(offered "${json}" ${variant} ${dtypes})
      foreach(dtype IN LISTS offered)
        _assay_add_case_test(${op} ${variant} ${dtype} ${size})
      endforeach()
    endforeach()
  endforeach()
  assay_dtypes_of_size(dtypes "${json}" huge)
  foreach(variant IN LISTS variants)
    assay_dtypes_of_variant(offered "${json}" ${variant} ${dtypes})
    foreach(dtype IN LISTS offered)
      _assay_add_huge_test(${op} ${variant} ${dtype})
    endforeach()
  endforeach()
  if(ASSAY_DEVICE_KIND STREQUAL "cuda")
    _assay_add_sanitizer_tests(${op})
    foreach(variant IN LISTS variants)
      _assay_add_resources_test(${op} ${variant})
    endforeach()
  endif()
  _assay_add_counts_test(${op} "${json}")
  _assay_add_golden_test(${op})
endfunction()

# The targets that gather modules: `modules` all, `default_modules` those that a build without a target compiles.
function(assay_add_module_targets)
  if(NOT TARGET modules)
    add_custom_target(modules)
    add_custom_target(default_modules ALL)
  endif()
endfunction()

function(assay_print_ops)
  get_property(ops GLOBAL PROPERTY ASSAY_OPS)
  get_property(tests GLOBAL PROPERTY ASSAY_CASE_TESTS)
  list(LENGTH tests count)
  list(JOIN ops ", " names)
  message(STATUS "Ops: ${names} (${count} correctness tests)")
endfunction()

# assay_add_all_ops(<folder>): every folder below with an op.json is an op; none at all is an error, because a suite that found
# nothing to test must not look green. `common` holds pieces shared by kernels.
function(assay_add_all_ops folder)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  assay_glob(files "${folder}" */op.json)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH dir)
    cmake_path(GET dir FILENAME name)
    if(NOT name STREQUAL "common")
      assay_add_op(NAME ${name} DIR "${dir}")
    endif()
  endforeach()
  get_property(ops GLOBAL PROPERTY ASSAY_OPS)
  if(NOT ops)
    message(FATAL_ERROR " ${folder}: no op found; expected at least one folder with an op.json")
  endif()
  get_property(tests GLOBAL PROPERTY ASSAY_CASE_TESTS)
  if(BUILD_TESTING AND NOT tests)
    message(FATAL_ERROR " ${folder}: no correctness test came out of the ops found")
  endif()
endfunction()
