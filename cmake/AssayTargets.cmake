# The targets a user calls: verify_all, report, sweep_OP, tune_OP, bench_all, bench_OP, and below it one a variant, a variant and
# size, and a case; profile_ of each case. Each only calls `assay`; no rule about what may be timed, in which order or with which
# baselines lives here.

# Whatever the programs need to run, as far as it has been defined: runners and baselines.
add_custom_target(assay_programs)
foreach(part IN ITEMS assay assay-verify-worker assay-module assay_simt_check assay-bench-group assay-ceilings assay-clock-guard assay-launch-case baselines)
  if(TARGET ${part})
    add_dependencies(assay_programs ${part})
  endif()
endforeach()

# _assay_add_run_target(<target> <targets to build first> <command>...): runs on the terminal, so that progress is seen and Ctrl-C
# arrives.
function(_assay_add_run_target target needs)
  add_custom_target(${target} COMMAND ${ARGN} USES_TERMINAL VERBATIM)
  add_dependencies(${target} assay_programs ${needs})
endfunction()

function(_assay_add_command_target target needs command)
  _assay_add_run_target(${target} "${needs}" "${ASSAY_COMMAND}" ${command} --build "${ASSAY_WORKSPACE_DIR}")
endfunction()

# _assay_add_bench_target(<target> <targets to build first> <options of report> <options of bench>...): times, then prints the table
# or writes the reports. A name that is taken stays with its first user: names of variants and sizes may make two alike.
function(_assay_add_bench_target target needs report)
  if(TARGET ${target})
    message(STATUS "The target ${target} is another one; not added for: assay bench ${ARGN}")
    return()
  endif()
  _assay_add_run_target(${target} "${needs}"
    sh "${ASSAY_ROOT_DIR}/cmake/bench-and-report" "${ASSAY_COMMAND}" "${ASSAY_WORKSPACE_DIR}" "${report}" ${ARGN})
endfunction()

# profile_OP_VARIANT_DTYPE_SIZE: the page that says what bounds the kernel, in the build folder's profile/OP.VARIANT.DTYPE.SIZE/.
function(_assay_add_profile_target op variant dtype size)
  set(target profile_${op}_${variant}_${dtype}_${size})
  if(NOT TARGET ${target})
    _assay_add_run_target(${target} "module_${op}_${variant}_${dtype};${op}_reference" "${ASSAY_COMMAND}" profile ${op}
      --build "${ASSAY_WORKSPACE_DIR}" --variant ${variant} --dtype ${dtype} --size ${size})
  endif()
endfunction()

# bench_OP_VARIANT_DTYPE_SIZE, and profile_ of the same
function(_assay_add_case_targets op variant)
  get_property(sizes GLOBAL PROPERTY ASSAY_OP_SIZES_${op})
  foreach(size IN LISTS sizes)
    _assay_case_dtypes(dtypes ${op} ${variant} ${size})
    foreach(dtype IN LISTS dtypes)
      _assay_add_bench_target(bench_${op}_${variant}_${dtype}_${size} "module_${op}_${variant}_${dtype};${op}_reference"
        "--table --op ${op} --dtype ${dtype}" --op ${op} --variant ${variant} --dtype ${dtype} --size ${size})
      _assay_add_profile_target(${op} ${variant} ${dtype} ${size})
    endforeach()
  endforeach()
endfunction()

# bench_OP_VARIANT and bench_OP_VARIANT_SIZE, of all dtypes
function(_assay_add_variant_targets op variant)
  get_property(sizes GLOBAL PROPERTY ASSAY_OP_SIZES_${op})
  set(of_variant "")
  foreach(size IN LISTS sizes)
    _assay_case_dtypes(modules ${op} ${variant} ${size})
    if(modules)
      list(TRANSFORM modules PREPEND module_${op}_${variant}_)
      list(APPEND of_variant ${modules})
      _assay_add_bench_target(bench_${op}_${variant}_${size} "${modules};${op}_reference"
        "--table --op ${op}" --op ${op} --variant ${variant} --size ${size})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES of_variant)
  _assay_add_bench_target(bench_${op}_${variant} "${of_variant};${op}_reference" "--table --op ${op}" --op ${op} --variant ${variant})
endfunction()

function(assay_add_run_targets)
  get_property(ops GLOBAL PROPERTY ASSAY_OPS)
  set(references ${ops})
  list(TRANSFORM references APPEND _reference)
  _assay_add_command_target(verify_all "modules;${references}" verify)
  _assay_add_command_target(report "" report)
  _assay_add_run_target(dashboard "" "${ASSAY_COMMAND}" ingest --build "${ASSAY_WORKSPACE_DIR}"
    COMMAND "${ASSAY_COMMAND}" dashboard --build "${ASSAY_WORKSPACE_DIR}")
  _assay_add_bench_target(bench_all "modules;${references}" "")
  set(save_winner "")
  if(ASSAY_DEVICE_KIND STREQUAL "cuda") # times of the CPU device are no advice for a GPU, and the file is meant to be committed
    set(save_winner --save)
  endif()
  foreach(op IN LISTS ops)
    _assay_add_bench_target(bench_${op} "modules_${op};${op}_reference" "--table --op ${op}" --op ${op})
    _assay_add_run_target(tune_${op} ${op}_reference "${ASSAY_COMMAND}" tune ${op} --build "${ASSAY_WORKSPACE_DIR}" ${save_winner})
    _assay_add_command_target(sweep_${op} "modules_${op};${op}_reference" "sweep;${op}")
    # Modules are built to be judged: with them comes what judges them.
    add_dependencies(modules_${op} ${op}_reference assay_programs)
  endforeach()
  foreach(dtype IN ITEMS f32 tf32 f16 bf16)
    if(TARGET modules_${dtype})
      add_dependencies(modules_${dtype} ${references} assay_programs)
    endif()
  endforeach()
  foreach(adder IN ITEMS _assay_add_case_targets _assay_add_variant_targets) # full names first: they keep a name that two would have
    foreach(op IN LISTS ops)
      get_property(variants GLOBAL PROPERTY ASSAY_OP_VARIANTS_${op})
      foreach(variant IN LISTS variants)
        cmake_language(CALL ${adder} ${op} ${variant})
      endforeach()
    endforeach()
  endforeach()
endfunction()
assay_add_run_targets()
