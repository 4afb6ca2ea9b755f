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
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/hlo_indexingConfigVersion.cmake" DESTINATION ${package_dir})
