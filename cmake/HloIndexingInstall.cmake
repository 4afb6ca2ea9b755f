# Exported targets and the package files: find_package(hlo_indexing) gives hlo_indexing::NAME for
# every library and hlo_indexing::hlo_indexing for all of them.
include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/hlo_indexing)
install(EXPORT hlo_indexing_targets FILE hlo_indexingTargets.cmake NAMESPACE hlo_indexing::
  DESTINATION ${package_dir})
configure_package_config_file(cmake/hlo_indexingConfig.cmake.in
  "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/HloIndexingDependencies.cmake "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfigVersion.cmake" DESTINATION ${package_dir})

# The same for builds without CMake: all libraries of the analysis, and the shared ones of MLIR and LLVM.
set(pkg_config_includes ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
list(REMOVE_DUPLICATES pkg_config_includes)
list(TRANSFORM pkg_config_includes PREPEND -I)
list(JOIN pkg_config_includes " " pkg_config_includes)
# In the order in which the linker needs them.
set(pkg_config_libraries "")
foreach(library IN ITEMS
    explain plan queries ptx indexing_analysis hlo layout simplifier support)
  string(APPEND pkg_config_libraries " -lhlo_indexing_${library}")
endforeach()
configure_file(cmake/hlo_indexing.pc.in "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexing.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexing.pc" DESTINATION lib/pkgconfig)
