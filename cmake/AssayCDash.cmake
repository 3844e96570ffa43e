# CTest as a client of a CDash server: `ctest -D Experimental`, with times as measurements of tests. And, with ASSAY_BENCH_TESTS, a test
# for each op, dtype and size that times its kernels and baselines, so that a dashboard gets times and not only verdicts.

option(ASSAY_BENCH_TESTS "Tests labelled timing that time every op, dtype and size" OFF)
set(ASSAY_CDASH_URL "" CACHE STRING "Where ctest submits to, such as https://cdash.example.org/submit.php?project=Assay; empty: nowhere")
set(ASSAY_BENCH_TEST_FLAGS "" CACHE STRING "Further options of `assay bench` in the tests labelled timing, such as --quick")
mark_as_advanced(ASSAY_CDASH_URL ASSAY_BENCH_TEST_FLAGS)

if(BUILD_TESTING)
  # A dashboard tells builds apart by site and name: without the device in it, times of the CPU device would be a slowdown of the GPU's.
  if(NOT BUILDNAME)
    set(BUILDNAME "${CMAKE_SYSTEM_NAME}-${CMAKE_CXX_COMPILER_ID}-${ASSAY_DEVICE_KIND}")
  endif()
  # include(CTest) writes DartConfiguration.tcl, without which `ctest -D` does nothing. Its two dozen targets (Nightly, ...) would only
  # crowd the list; `ctest -D` needs none of them.
  set_property(GLOBAL PROPERTY CTEST_TARGETS_ADDED 1)
  include(CTest)
endif()

# bench.OP.DTYPE.SIZE, alone on the machine, as anything beside it would be measured too.
function(assay_add_bench_tests)
  get_property(ops GLOBAL PROPERTY ASSAY_OPS)
  foreach(op IN LISTS ops)
    get_property(sizes GLOBAL PROPERTY ASSAY_OP_SIZES_${op})
    foreach(size IN LISTS sizes)
      get_property(dtypes GLOBAL PROPERTY ASSAY_OP_DTYPES_${op}_${size})
      foreach(dtype IN LISTS dtypes)
        set(test bench.${op}.${dtype}.${size})
        add_test(NAME ${test} COMMAND "${ASSAY_COMMAND}" bench --build "${ASSAY_WORKSPACE_DIR}"
          --op ${op} --dtype ${dtype} --size ${size} --force ${ASSAY_BENCH_TEST_FLAGS})
        set_tests_properties(${test} PROPERTIES LABELS "timing;${op};${dtype};${size};${ASSAY_DEVICE_KIND}" RUN_SERIAL TRUE
          SKIP_RETURN_CODE 77 TIMEOUT 3600 ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}")
      endforeach()
    endforeach()
  endforeach()
endfunction()
if(BUILD_TESTING AND ASSAY_BENCH_TESTS)
  assay_add_bench_tests()
endif()
