# How a kernel is compiled into a module: compiler, flags, include folders and libraries. Written to toolchain.json in the
# build folder (only when it changes, because every module depends on it) and from there into assay.json.
#
# Sets ASSAY_TOOLCHAIN_JSON (a JSON object), ASSAY_TOOLCHAIN_FILE, and ASSAY_CHECKED_TOOLCHAIN_JSON: the same for modules whose every access
# the CPU device watches (`assay verify --check`), or null; ASSAY_DEVICE_CODE_TOOLCHAIN_JSON, or null where there is no Clang;
# ASSAY_PTX_TOOLCHAIN_JSON: for the device ptx, or null where there is no nvcc;
# ASSAY_OUTSIDE_TOOLCHAIN_JSON, or null: {"flags", "link"} that kernels from outside get in addition.
include(AssayJson)

# -march=x86-64-v3 where this host runs it: asked of the compiler, which asks the processor.
function(assay_host_march out)
  set(march "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT CMAKE_CROSSCOMPILING)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -march=native -dM -E -x c++ /dev/null
      RESULT_VARIABLE status OUTPUT_VARIABLE macros ERROR_QUIET)
    set(march "-march=x86-64-v3")
    foreach(feature IN ITEMS AVX2 FMA BMI BMI2 F16C LZCNT MOVBE)
      if(NOT status EQUAL 0 OR NOT macros MATCHES "#define __${feature}__ 1")
        set(march "")
      endif()
    endforeach()
  endif()
  set(${out} "${march}" PARENT_SCOPE)
endfunction()

# 90a -> -gencode arch=compute_90a,code=sm_90a. (`-arch=sm_90a` would also build a compute_90 pass, which cannot hold
# wgmma.) 80-virtual gives PTX alone.
function(assay_gencode_flags out)
  set(flags "")
  foreach(architecture IN LISTS ARGN)
    string(REGEX REPLACE "-.*" "" number "${architecture}")
    if(architecture MATCHES "-virtual$")
      list(APPEND flags -gencode "arch=compute_${number},code=compute_${number}")
    else()
      list(APPEND flags -gencode "arch=compute_${number},code=sm_${number}")
    endif()
  endforeach()
  set(${out} "${flags}" PARENT_SCOPE)
endfunction()

# `check`: as ASSAY_SIMT_CHECK.
function(_assay_cxx_toolchain check)
  assay_host_march(march)
  # No contraction: on this device a kernel must give the same bits whatever the compiler fuses.
  set(optimisation -O2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT ASSAY_SANITIZE STREQUAL "none")
    set(optimisation -O0) # with their checks the largest kernels take minutes otherwise
  endif()
  set(flags -std=c++17 ${optimisation} -g1 -shared -fPIC -fvisibility=hidden -ffp-contract=off ${march} ${ASSAY_SANITIZE_FLAGS}
    -include assay_simt/prelude.h) # what nvcc has before the first line
  set(folders "-L${ASSAY_LIB_DIR}" "-Wl,-rpath,${ASSAY_LIB_DIR}")
  set(libraries -lassay_simt)
  if(NOT check STREQUAL "off")
    if(NOT ASSAY_SANITIZE STREQUAL "none")
      message(FATAL_ERROR " ASSAY_SIMT_CHECK answers the calls of -fsanitize=thread,alignment itself and needs ASSAY_SANITIZE=none, not ${ASSAY_SANITIZE}")
    endif()
    if(check STREQUAL "strict")
      set(level 2)
    else()
      set(level 1)
    endif()
    list(TRANSFORM flags REPLACE "^-O2$" -O1) # two thirds of the time to compile: the run is in the device, which judges every access
    list(APPEND flags -fsanitize=thread,alignment -DASSAY_SIMT_CHECK=${level})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # volatile flags between blocks are told from plain accesses
      list(APPEND flags --param=tsan-distinguish-volatile=1)
    endif()
    list(PREPEND folders "-L${ASSAY_LIB_DIR}/check") # see device/cpu/CMakeLists.txt
    list(PREPEND libraries -lassay_simt_check)
  endif()
  set(flags "${flags}" PARENT_SCOPE)
  set(compiler "${CMAKE_CXX_COMPILER}" PARENT_SCOPE)
  set(version "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" PARENT_SCOPE)
  set(architectures "${CMAKE_SYSTEM_PROCESSOR}" PARENT_SCOPE)
  set(include "${ASSAY_ROOT_DIR}/include" "${ASSAY_ROOT_DIR}/device/cpu/include" PARENT_SCOPE)
  set(link ${folders} ${libraries} PARENT_SCOPE)
endfunction()

# Clang in CUDA mode, without a toolkit, for the question whether device code uses what is the host's (build_module/module_device_code.h).
# What <cmath> brings for special functions is left out: CUDA has it not on the device, and libstdc++'s collides with other headers there.
function(_assay_device_code_toolchain out)
  find_program(ASSAY_CLANG NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19
    DOC "clang++, which is asked whether the device code of kernels from outside uses what is the host's; optional")
  set(${out} null PARENT_SCOPE)
  if(NOT ASSAY_CLANG)
    return()
  endif()
  execute_process(COMMAND "${ASSAY_CLANG}" -print-resource-dir OUTPUT_VARIABLE resources RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT status EQUAL 0)
    return()
  endif()
  set(compiler "${ASSAY_CLANG}")
  set(version clang)
  set(flags -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nobuiltininc -isystem "${resources}/include"
    -std=c++17 -fsyntax-only -w -fno-caret-diagnostics -ferror-limit=64 -Xclang -fcuda-allow-variadic-functions
    "-D__thread=__attribute__((device))" "-Dtls_model(x)=" -D_GLIBCXX_BITS_SPECFUN_H=1
    "-I${ASSAY_ROOT_DIR}/device/cpu/include" "-I${ASSAY_ROOT_DIR}/include" -include assay_simt/device_code.h)
  set(include "${ASSAY_ROOT_DIR}/include" "${ASSAY_ROOT_DIR}/device/cpu/include")
  set(link "")
  set(architectures "")
  _assay_toolchain_json(json clang)
  set(${out} "${json}" PARENT_SCOPE)
endfunction()

# What a kernel from outside gets in addition on the CPU device, where a sanitizer does not do the same: allocations go through the device,
# which tells the host's from the device's (runtime/device_heap.c; delete goes there by itself), and misaligned accesses are found
# before the compiler splits them.
function(_assay_outside_toolchain out)
  set(link "-L${ASSAY_LIB_DIR}/check" -lassay_simt_check)
  foreach(name IN ITEMS malloc calloc realloc free _Znwm _Znam)
    list(APPEND link "-Wl,--wrap=${name}")
  endforeach()
  assay_json_array(flags -fsanitize=alignment)
  assay_json_array(link ${link})
  set(${out} "{\"flags\": ${flags}, \"link\": ${link}}" PARENT_SCOPE)
endfunction()

function(_assay_nvcc_toolchain)
  assay_gencode_flags(gencode ${ASSAY_CUDA_ARCHITECTURES})
  # The visibility of the host side is left alone: nvcc's registration code needs none, the entry point is exported by name.
  set(flags -std=c++17 -lineinfo -Xcompiler -fPIC -shared -cudart shared ${gencode})
  if(ASSAY_OPTIMIZE_LAUNCHES) # nvcc's -O is the host compiler's; device code is always optimised
    list(INSERT flags 1 -O3)
  endif()
  if(CMAKE_CUDA_HOST_COMPILER)
    list(PREPEND flags -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  set(flags "${flags}" PARENT_SCOPE)
  set(compiler "${CMAKE_CUDA_COMPILER}" PARENT_SCOPE)
  set(version "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, host ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" PARENT_SCOPE)
  set(architectures "${ASSAY_CUDA_ARCHITECTURES}" PARENT_SCOPE)
  set(include "${ASSAY_ROOT_DIR}/include" PARENT_SCOPE)
  set(link "-L${CUDAToolkit_LIBRARY_DIR}" -Xlinker "-rpath=${CUDAToolkit_LIBRARY_DIR}" PARENT_SCOPE)
endfunction()

# For the device ptx: PTX of the architecture that it stands for, and the shared runtime, in whose place the device's own is loaded. The host side,
# which is not timed, is not optimised: a quarter less to compile.
function(_assay_ptx_toolchain)
  set(flags -std=c++17 -lineinfo -Xcompiler -fPIC,-g1 -shared -cudart shared -gencode "arch=compute_90a,code=compute_90a")
  if(CMAKE_CUDA_HOST_COMPILER)
    list(PREPEND flags -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  set(flags "${flags}" PARENT_SCOPE)
  set(compiler "${ASSAY_PTX_NVCC}" PARENT_SCOPE)
  execute_process(COMMAND "${ASSAY_PTX_NVCC}" --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "V[0-9.]+" said "${said}")
  set(version "nvcc ${said}, host ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" PARENT_SCOPE)
  set(architectures 90a-virtual PARENT_SCOPE)
  set(include "${ASSAY_ROOT_DIR}/include" PARENT_SCOPE)
  set(link "" PARENT_SCOPE)
endfunction()

# What one of the functions above has set, as JSON.
function(_assay_toolchain_json out kind)
  assay_json_quote(compiler_json "${compiler}")
  assay_json_quote(version_json "${version}")
  foreach(name IN ITEMS flags include link architectures)
    assay_json_array(${name}_json ${${name}})
  endforeach()
  set(${out} "{
    \"compiler\": ${compiler_json},
    \"kind\": \"${kind}\",
    \"flags\": ${flags_json},
    \"include\": ${include_json},
    \"link\": ${link_json},
    \"arch\": ${architectures_json},
    \"compiler_version\": ${version_json}
  }" PARENT_SCOPE)
endfunction()

set(ASSAY_CHECKED_TOOLCHAIN_JSON null)
set(ASSAY_DEVICE_CODE_TOOLCHAIN_JSON null)
set(ASSAY_OUTSIDE_TOOLCHAIN_JSON null)
set(ASSAY_PTX_TOOLCHAIN_JSON null)
if(ASSAY_PTX_NVCC)
  _assay_ptx_toolchain()
  _assay_toolchain_json(ASSAY_PTX_TOOLCHAIN_JSON nvcc)
endif()
if(ASSAY_DEVICE_KIND STREQUAL "ptx")
  set(ASSAY_TOOLCHAIN_JSON "${ASSAY_PTX_TOOLCHAIN_JSON}")
elseif(ASSAY_DEVICE_KIND STREQUAL "cuda")
  _assay_nvcc_toolchain()
  _assay_toolchain_json(ASSAY_TOOLCHAIN_JSON nvcc)
else()
  if(ASSAY_SANITIZE STREQUAL "none")
    _assay_cxx_toolchain(on)
    _assay_toolchain_json(ASSAY_CHECKED_TOOLCHAIN_JSON cxx)
    _assay_outside_toolchain(ASSAY_OUTSIDE_TOOLCHAIN_JSON)
  endif()
  _assay_cxx_toolchain("${ASSAY_SIMT_CHECK}")
  _assay_toolchain_json(ASSAY_TOOLCHAIN_JSON cxx)
  _assay_device_code_toolchain(ASSAY_DEVICE_CODE_TOOLCHAIN_JSON)
endif()
set(ASSAY_TOOLCHAIN_FILE "${ASSAY_WORKSPACE_DIR}/toolchain.json")
file(CONFIGURE OUTPUT "${ASSAY_TOOLCHAIN_FILE}" CONTENT "@ASSAY_TOOLCHAIN_JSON@\n" @ONLY)
