# Sanitizers: one list of flags for the harness and, on the CPU device, for the kernels (see AssayToolchain.cmake).
# Sets ASSAY_SANITIZE_FLAGS and ASSAY_TEST_ENVIRONMENT.

set(ASSAY_SANITIZE_FLAGS "")
set(ASSAY_TEST_ENVIRONMENT "")
if(NOT ASSAY_SANITIZE STREQUAL "none")
  # Without -fno-sanitize-recover a found error would print and then pass.
  set(ASSAY_SANITIZE_FLAGS -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${ASSAY_SANITIZE_FLAGS}>")
  add_link_options("$<$<LINK_LANGUAGE:C,CXX>:${ASSAY_SANITIZE_FLAGS}>")
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang") # programs in C load kernels in C++, whose checks have a runtime of their own
    add_link_options("$<$<LINK_LANGUAGE:C>:-fsanitize-link-c++-runtime;-lstdc++>")
  endif()
  set(ASSAY_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:detect_stack_use_after_return=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()
