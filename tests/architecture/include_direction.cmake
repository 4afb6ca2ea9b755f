# Fails on an include that points to the right in the order of the folders, and on an include guard
# that is not its header's path, as two headers with one guard cannot be included together.
# Run as: cmake -DSOURCE_DIR=... -P include_direction.cmake
#
# A folder with subfolders stands in the list by itself for the files that lie in it directly.
cmake_minimum_required(VERSION 3.25)
set(order
  support
  simplifier
  layout/cute layout/picture layout layout/cute_algebra
  hlo hlo/shape_inference hlo/parser hlo/interpreter
  indexing_analysis/maps indexing_analysis/rules indexing_analysis/propagation indexing_analysis
  indexing_analysis/queries
  codegen/cuda
  codegen/ptx/numerics codegen/ptx/syntax codegen/ptx/machine codegen/ptx/instructions codegen/ptx
  codegen/plan codegen/emit/scalar codegen/emit codegen/run codegen/program codegen/explain
  tools
  python/core)

# The place of a path's folder in the order; a subfolder that is not listed counts as its parent.
function(find_position PATH RESULT)
  get_filename_component(folder "${PATH}" DIRECTORY)
  list(FIND order "${folder}" position)
  while(position EQUAL -1 AND folder MATCHES "/")
    get_filename_component(folder "${folder}" DIRECTORY)
    list(FIND order "${folder}" position)
  endwhile()
  set(${RESULT} ${position} PARENT_SCOPE)
endfunction()

set(failures "")
set(checked 0)
set(guards "")
foreach(folder support simplifier layout hlo indexing_analysis codegen tools python)
  file(GLOB_RECURSE sources RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/${folder}/*.h"
    "${SOURCE_DIR}/${folder}/*.cc" "${SOURCE_DIR}/${folder}/*.inc")
  foreach(source IN LISTS sources)
    find_position("${source}" position)
    if(position EQUAL -1)
      string(APPEND failures "${source}: its folder has no place in the order\n")
    endif()
    file(STRINGS "${SOURCE_DIR}/${source}" includes REGEX "^#include \"")
    foreach(include IN LISTS includes)
      if(NOT include MATCHES "^#include \"([a-z_]+/[^\"]+)\"")
        string(APPEND failures "${source}: ${include} is not a path from the root\n")
        continue()
      endif()
      set(included "${CMAKE_MATCH_1}")
      math(EXPR checked "${checked} + 1")
      if(included MATCHES "^(llvm|mlir|absl|clang)/")
        continue()
      endif()
      find_position("${included}" target)
      if(target GREATER position)
        string(APPEND failures "${source}: ${include} points to the right\n")
      endif()
    endforeach()
    if(source MATCHES "\\.h$")
      string(TOUPPER "HLO_INDEXING_${source}_" guard)
      string(REGEX REPLACE "[^A-Z0-9]" "_" guard "${guard}")
      file(STRINGS "${SOURCE_DIR}/${source}" guard_lines REGEX "^#(ifndef|define) ${guard}$")
      list(LENGTH guard_lines num_guard_lines)
      if(NOT num_guard_lines EQUAL 2)
        string(APPEND failures "${source}: its include guard is not ${guard}\n")
      endif()
      if(guard IN_LIST guards)
        string(APPEND failures "${source}: another header has the include guard ${guard}\n")
      endif()
      list(APPEND guards ${guard})
    endif()
  endforeach()
endforeach()
list(LENGTH guards num_guards)
if(checked LESS 50 OR num_guards LESS 50)
  message(FATAL_ERROR
    "only ${checked} includes and ${num_guards} guards found below ${SOURCE_DIR}: the check looks at nothing")
endif()
if(failures)
  message(FATAL_ERROR "${failures}")
endif()
message(STATUS "${checked} includes point to the left, ${num_guards} include guards are unique")
