# Warnings live in one INTERFACE target that Assay's own targets link privately, so that no consumer inherits them.

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wshadow;-Wpointer-arith;-Wundef>"
  # Paths and messages are cut to their buffers on purpose; a cut path fails to open and says so.
  "$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<C_COMPILER_ID:GNU>>:-Wno-format-truncation>"
  "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wvla>")
if(ASSAY_WERROR)
  target_compile_options(assay_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
