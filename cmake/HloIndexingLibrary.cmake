# hlo_indexing_library(NAME SOURCES ... HEADERS ... DEPENDS ...)
#
# A static library hlo_indexing::NAME from the folder NAME. DEPENDS lists libraries of this project
# by their short names. Installed with its headers below include/hlo_indexing/NAME.
function(hlo_indexing_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;DEPENDS" ${ARGN})
  set(target hlo_indexing_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(hlo_indexing::${NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${NAME})
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>")
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC hlo_indexing::${dependency})
  endforeach()
  target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:hlo_indexing_flags>")
  install(TARGETS ${target} EXPORT hlo_indexing_targets
    ARCHIVE DESTINATION lib
    FILE_SET HEADERS DESTINATION include/hlo_indexing)
endfunction()
