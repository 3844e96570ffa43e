# assay_glob(<out> <folder> <pattern>...): file(GLOB) in a folder whose own path may hold square brackets, which GLOB takes for a set of
# characters. Looked for again at every build.
function(assay_glob out folder)
  string(REPLACE "[" "[[]" escaped "${folder}")
  set(found "")
  foreach(pattern IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS "${escaped}/${pattern}")
    list(APPEND found ${files})
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
