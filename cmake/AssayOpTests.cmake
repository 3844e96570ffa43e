# The tests of an op, for assay_add_op(): one a case, and one an op for golden cases, compute-sanitizer, resources and counts.
include(AssayGlob)
include(AssayJson)

set(ASSAY_CASE_TIMEOUT 600)
if(NOT ASSAY_SANITIZE STREQUAL "none")
  set(ASSAY_CASE_TIMEOUT 2400)
endif()

# Tests repeat: their inputs come from one seed, where `assay verify` by hand draws one. More arguments: the variant's dtypes at this size.
function(_assay_add_case_test op variant dtype size)
  set(test correctness.${op}.${variant}.${dtype}.${size})
  set(labels correctness ${op} ${variant} ${dtype} ${size} ${ASSAY_DEVICE_KIND})
  if(dtype STREQUAL "f32" AND size STREQUAL "small")
    list(APPEND labels smoke)
  endif()
  # bf16 takes the same paths as f16, tf32 is one op's, and `./run test` has to end in ten minutes, build included. The steps between
  # the first and the last one meet the edge cases in f32, and in .ci/run in bf16; in f16, which bf16's edge cases include, step 2 alone
  # does, there too. The other sizes meet f16 in the last step; each step before it has the small one in f16, and all in bf16.
  if(dtype STREQUAL "f16" AND "bf16" IN_LIST ARGN AND
      ((size STREQUAL "edge" AND variant MATCHES "^v3") OR (NOT size MATCHES "^(small|edge)$" AND variant MATCHES "^v[123]")))
    list(APPEND labels exhaustive)
  elseif(dtype MATCHES "^(f16|tf32)$" OR (dtype STREQUAL "bf16" AND size STREQUAL "edge" AND variant MATCHES "^v[23]"))
    list(APPEND labels long)
  endif()
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" verify --build "${ASSAY_WORKSPACE_DIR}"
    --op ${op} --variant ${variant} --dtype ${dtype} --size ${size} --seed 20260)
  set_tests_properties(${test} PROPERTIES
    LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT ${ASSAY_CASE_TIMEOUT} ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  if(size STREQUAL "edge") # the longest start first, so that no job is left with one at the end
    set_tests_properties(${test} PROPERTIES COST 10)
  endif()
  assay_tests_need_gpu(${test})
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
    ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  assay_tests_need_gpu(${test})
endfunction()

# An op's variants under each tool of compute-sanitizer, in f32, tf32 and bf16. One test an op and tool, because starting under the tool takes
# ten times as long as what a kernel does there; each variant has a line and a file of its own. Not by assay_tests_need_gpu(): nothing is
# timed, so several may share the card.
function(_assay_add_sanitizer_tests op)
  foreach(tool IN ITEMS memcheck racecheck initcheck synccheck)
    set(test sanitizer.${tool}.${op})
    add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" sanitize --build "${ASSAY_WORKSPACE_DIR}" --op ${op} --tool ${tool})
    set_tests_properties(${test} PROPERTIES LABELS "sanitizer;${tool};${op};cuda" SKIP_RETURN_CODE 77
      TIMEOUT 1800 ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  endforeach()
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
  if(NOT ASSAY_PTX_NVCC OR NOT ASSAY_SANITIZE STREQUAL "none" OR ASSAY_DEVICE_KIND STREQUAL "cuda" OR NOT json MATCHES "\"counts\" *:")
    return()
  endif()
  set(test counts.${op})
  add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" count ${op} --build "${ASSAY_WORKSPACE_DIR}" --check)
  set_tests_properties(${test} PROPERTIES LABELS "counts;${op};long" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()

# Golden cases are files named after their op and dtype; a test runs those of some dtypes through every variant. More arguments: labels.
function(_assay_add_golden_test name op dtypes)
  set(folder "${CMAKE_SOURCE_DIR}/tests/golden")
  set(offered "")
  foreach(dtype IN LISTS dtypes)
    assay_glob(cases "${folder}" "${op}.${dtype}.*")
    if(cases)
      list(APPEND offered ${dtype})
    endif()
  endforeach()
  if(NOT offered)
    return()
  endif()
  list(JOIN offered "," offered)
  set(labels golden correctness ${op} ${ASSAY_DEVICE_KIND} ${ARGN})
  add_test(NAME ${name} COMMAND "${ASSAY_COMMAND}" verify --build "${ASSAY_WORKSPACE_DIR}" --golden "${folder}" --op ${op} --dtype ${offered})
  set_tests_properties(${name} PROPERTIES
    LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT ${ASSAY_CASE_TIMEOUT}
    ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
  assay_tests_need_gpu(${name})
endfunction()

# The tests of an op that assay_add_op() has read, at its sizes and "edge". More arguments: its variants in Triton.
function(_assay_add_op_tests op sizes)
  get_property(variants GLOBAL PROPERTY ASSAY_OP_VARIANTS_${op})
  foreach(size IN LISTS sizes)
    foreach(variant IN LISTS variants)
      _assay_case_dtypes(dtypes ${op} ${variant} ${size})
      foreach(dtype IN LISTS dtypes)
        _assay_add_case_test(${op} ${variant} ${dtype} ${size} ${dtypes})
      endforeach()
    endforeach()
  endforeach()
  foreach(variant IN LISTS variants)
    _assay_case_dtypes(dtypes ${op} ${variant} huge)
    foreach(dtype IN LISTS dtypes)
      _assay_add_huge_test(${op} ${variant} ${dtype})
    endforeach()
  endforeach()
  if(ASSAY_DEVICE_KIND STREQUAL "cuda")
    _assay_add_sanitizer_tests(${op})
    foreach(variant IN LISTS variants)
      if(NOT variant IN_LIST ARGN) # their machine code is made by the driver
        _assay_add_resources_test(${op} ${variant})
      endif()
    endforeach()
  endif()
  _assay_add_golden_test(golden.${op} ${op} "f32;bf16")
  _assay_add_golden_test(golden.${op}.f16 ${op} f16 long) # as the other tests of f16
endfunction()
