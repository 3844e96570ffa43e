# The roofline's ceilings: a library, and the program assay-ceilings that measures them and writes ceilings.json.

add_library(assay_ceilings STATIC
  ${CMAKE_CURRENT_LIST_DIR}/ceilings.c
  ${CMAKE_CURRENT_LIST_DIR}/ceilings_cpu.c
  ${CMAKE_CURRENT_LIST_DIR}/ceilings_list.c)
# Optimised in every build, as kernels are: it measures the machine.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/ceilings_cpu.c PROPERTIES COMPILE_OPTIONS -O2)
target_compile_definitions(assay_ceilings PRIVATE ASSAY_WITH_CUDA=$<BOOL:${ASSAY_WITH_CUDA}>)
target_link_libraries(assay_ceilings PUBLIC assay_device assay_core Threads::Threads PRIVATE assay_warnings m)

if(ASSAY_WITH_CUDA)
  # Objects of their own, which see include/ alone: assay_device brings the CPU device's stand-ins for CUDA's headers.
  add_library(assay_ceilings_cuda OBJECT
    ${CMAKE_CURRENT_LIST_DIR}/ceilings_memory.cu
    ${CMAKE_CURRENT_LIST_DIR}/ceilings_shared.cu
    ${CMAKE_CURRENT_LIST_DIR}/ceilings_fma.cu
    ${CMAKE_CURRENT_LIST_DIR}/ceilings_tensor.cu)
  target_include_directories(assay_ceilings_cuda PRIVATE
    ${ASSAY_ROOT_DIR} ${ASSAY_ROOT_DIR}/include)
  target_link_libraries(assay_ceilings_cuda PRIVATE assay_warnings)
  set_target_properties(assay_ceilings_cuda PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Shared)
  target_sources(assay_ceilings PRIVATE $<TARGET_OBJECTS:assay_ceilings_cuda>)
  target_link_libraries(assay_ceilings PUBLIC CUDA::cudart)
  set_target_properties(assay_ceilings PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
endif()

add_executable(assay-ceilings ${CMAKE_CURRENT_LIST_DIR}/ceilings_main.c)
target_link_libraries(assay-ceilings PRIVATE assay_ceilings assay_warnings)
set_target_properties(assay-ceilings PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
