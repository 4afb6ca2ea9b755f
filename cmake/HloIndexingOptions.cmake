# Compiler settings, options and dependencies of the whole project.

option(HLO_INDEXING_BUILD_BENCHMARKS "Build the benchmarks in bench/" ON)
option(HLO_INDEXING_BUILD_FUZZERS "Build the libFuzzer targets in tests/fuzz (needs Clang)" OFF)
set(HLO_INDEXING_SANITIZE "" CACHE STRING "Sanitizers for the whole build, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# LLVM's libraries lie outside the usual places.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# -O3 brings nothing here but longer builds.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endif()

find_program(HLO_INDEXING_CCACHE ccache)
if(HLO_INDEXING_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HLO_INDEXING_CCACHE}")
endif()

# The version file of MLIR wants major.minor.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(absl REQUIRED CONFIG)

# Flags of our own code; dependencies are system headers.
add_library(hlo_indexing_flags INTERFACE)
target_compile_options(hlo_indexing_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  # GCC 12 reports concatenations of strings that are fine (GCC bugs 105329 and 105651).
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>"
  # libstdc++ 12 uses what it deprecates itself.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations> -Werror)
if(HLO_INDEXING_SANITIZE)
  target_compile_options(hlo_indexing_flags INTERFACE
    -fsanitize=${HLO_INDEXING_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Checks of dynamic types need type information that the packaged LLVM does not export.
    -fno-sanitize=vptr
    # GCC 12 takes instrumented code for uses of uninitialized memory.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(hlo_indexing_flags INTERFACE -fsanitize=${HLO_INDEXING_SANITIZE})
endif()
if(HLO_INDEXING_BUILD_FUZZERS)
  target_compile_options(hlo_indexing_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
