# What reading the headers of MLIR, LLVM and Abseil costs is half of what a source file costs. Headers of this project are
# not among these, as all sources would be compiled again where one changes. tests/architecture/precompiled_includes.py
# finds a source that relies on them for what it uses of GoogleTest and Abseil.
set(HLO_INDEXING_PRECOMPILED_HEADERS
  <algorithm> <cstdint> <map> <memory> <optional> <string> <utility> <vector>
  <absl/status/statusor.h> <absl/strings/str_cat.h>
  <llvm/ADT/ArrayRef.h> <llvm/ADT/DenseMap.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SetVector.h>
  <llvm/ADT/SmallPtrSet.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/Support/raw_ostream.h>
  <mlir/IR/AffineMap.h> <mlir/IR/MLIRContext.h>)

# hlo_indexing_precompile(NAME OWNER [HEADER...]): the target NAME is compiled with the precompiled headers of the target
# OWNER. If it is OWNER itself, these are the list above and HEADER.
function(hlo_indexing_precompile NAME OWNER)
  if(NOT HLO_INDEXING_PRECOMPILE)
    return()
  endif()
  if("${NAME}" STREQUAL "${OWNER}")
    target_precompile_headers(${NAME} PRIVATE ${HLO_INDEXING_PRECOMPILED_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${NAME} REUSE_FROM ${OWNER})
  endif()
endfunction()

# hlo_indexing_library(NAME [WITHOUT_MLIR] SOURCES ... HEADERS ... DEPENDS ... PRECOMPILE ...)
#
# A static library hlo_indexing::NAME. DEPENDS lists libraries of this project by their short names.
# Installed with its headers below include/hlo_indexing. WITHOUT_MLIR: it includes no header of MLIR
# or LLVM, and is linked to Abseil alone. PRECOMPILE: headers that it precompiles besides those that
# all libraries share.
function(hlo_indexing_library NAME)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "SOURCES;HEADERS;DEPENDS;PRECOMPILE" ${ARGN})
  set(target hlo_indexing_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(hlo_indexing::${NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${NAME})
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(ARG_WITHOUT_MLIR)
    target_link_libraries(${target} PUBLIC hlo_indexing::abseil)
  else()
    target_link_libraries(${target} PUBLIC hlo_indexing::dependencies)
    if(ARG_PRECOMPILE)
      hlo_indexing_precompile(${target} ${target} ${ARG_PRECOMPILE})
    else()
      hlo_indexing_precompile(${target} hlo_indexing_support)
    endif()
  endif()
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC hlo_indexing::${dependency})
  endforeach()
  target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:hlo_indexing_flags>")
  install(TARGETS ${target} EXPORT hlo_indexing_targets
    ARCHIVE DESTINATION lib
    FILE_SET HEADERS DESTINATION include/hlo_indexing)
endfunction()
