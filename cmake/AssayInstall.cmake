# What `cmake --install` puts where. The prefix may be moved afterwards: nothing in it names where it lies.
#
#   bin/assay                       the command
#   libexec/assay/                  the runners, and the scripts that measure torch
#   include/assay/                  the headers of kernels and references
#   lib/assay/                      the CPU device's runtime, the archive that references link
#   lib/libassay.so, lib/pkgconfig  the C library and what finds it
#   lib/cmake/Assay/                find_package(Assay)
#   share/assay/                    the harness' sources, laid out as in the source tree: what depends on the device or its
#                                   flags is compiled in the build that uses the package; report templates, op.json's schema
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Programs named assay or assay-*, wherever a part of the harness defines them.
function(_assay_collect_programs out dir)
  set(found "")
  get_property(targets DIRECTORY "${dir}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(unbuilt ${target} EXCLUDE_FROM_ALL)
    if(type STREQUAL "EXECUTABLE" AND NOT unbuilt AND target MATCHES "^assay(-|$)" AND NOT target STREQUAL "assay-simt-bench")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(children DIRECTORY "${dir}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    _assay_collect_programs(below "${child}")
    list(APPEND found ${below})
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

set(install_lib "${CMAKE_INSTALL_LIBDIR}/assay")
set(install_libexec "${CMAKE_INSTALL_LIBEXECDIR}/assay")
set(install_share "${CMAKE_INSTALL_DATAROOTDIR}/assay")
set(install_config "${CMAKE_INSTALL_LIBDIR}/cmake/Assay")

_assay_collect_programs(programs "${CMAKE_CURRENT_SOURCE_DIR}")
foreach(program IN LISTS programs)
  set(destination "${install_libexec}")
  if(program STREQUAL "assay")
    set(destination "${CMAKE_INSTALL_BINDIR}")
  endif()
  cmake_path(ABSOLUTE_PATH destination BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE from)
  cmake_path(ABSOLUTE_PATH install_lib BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE to)
  cmake_path(RELATIVE_PATH to BASE_DIRECTORY "${from}" OUTPUT_VARIABLE relative)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "\$ORIGIN/${relative}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${program} RUNTIME DESTINATION "${destination}")
endforeach()
assay_glob(scripts "${CMAKE_CURRENT_SOURCE_DIR}/bench/baselines/torch" *.py)
install(FILES ${scripts} DESTINATION "${install_libexec}")

set_target_properties(assay_simt assay_simt_check PROPERTIES INSTALL_RPATH "\$ORIGIN")
install(TARGETS assay_simt assay_simt_check LIBRARY DESTINATION "${install_lib}")
install(TARGETS assay_core ARCHIVE DESTINATION "${install_lib}")
install(DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/check" DESTINATION "${install_lib}") # a link, see device/cpu/CMakeLists.txt

# libassay and what finds it: pkg-config --libs assay.
set_target_properties(assay_api PROPERTIES INSTALL_RPATH "\$ORIGIN/assay")
install(TARGETS assay_api LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
configure_file(cmake/assay.pc.in "${CMAKE_BINARY_DIR}/package/assay.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/assay.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(DIRECTORY include/assay DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES CMakeLists.txt LICENSE DESTINATION "${install_share}")
set(parts ${ASSAY_PARTS} cmake logs plots)
list(TRANSFORM parts REPLACE "/.*" "")
list(REMOVE_DUPLICATES parts)
# The cards' reference results under logs/ and plots/ stay behind.
install(DIRECTORY ${parts} DESTINATION "${install_share}"
  PATTERN "nvidia-*" EXCLUDE PATTERN "cpu-*" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES ops/op.schema.json DESTINATION "${install_share}/ops")
install(DIRECTORY ops/common DESTINATION "${install_share}/ops" OPTIONAL)
# The harness finds its headers where the source tree has them.
cmake_path(ABSOLUTE_PATH install_share BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE from)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${from}" OUTPUT_VARIABLE relative)
install(CODE "file(CREATE_LINK \"${relative}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${install_share}/include\" SYMBOLIC)")

set(ASSAY_INSTALL_BIN "${CMAKE_INSTALL_BINDIR}")
set(ASSAY_INSTALL_LIB "${install_lib}")
set(ASSAY_INSTALL_LIBEXEC "${install_libexec}")
set(ASSAY_INSTALL_SHARE "${install_share}")
configure_package_config_file(cmake/AssayConfig.cmake.in "${CMAKE_BINARY_DIR}/package/AssayConfig.cmake"
  INSTALL_DESTINATION "${install_config}"
  PATH_VARS ASSAY_INSTALL_BIN ASSAY_INSTALL_LIB ASSAY_INSTALL_LIBEXEC ASSAY_INSTALL_SHARE
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/AssayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/AssayConfig.cmake" "${CMAKE_BINARY_DIR}/package/AssayConfigVersion.cmake"
  DESTINATION "${install_config}")
