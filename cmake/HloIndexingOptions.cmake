# Compiler settings, options and dependencies of the whole project.

option(HLO_INDEXING_BUILD_BENCHMARKS "Build the benchmarks in bench/" ON)
option(HLO_INDEXING_BUILD_FUZZERS "Build the libFuzzer targets in tests/fuzz (needs Clang)" OFF)
option(HLO_INDEXING_BUILD_PYTHON "Build the extension module of the Python package (needs nanobind)" OFF)
set(HLO_INDEXING_SANITIZE "" CACHE STRING "Sanitizers for the whole build, e.g. address,undefined")

option(HLO_INDEXING_PRECOMPILE "Precompile the headers of MLIR, LLVM, Abseil and GoogleTest" ON)
set(static_program ON)
# Sanitizers replace functions of the shared C++ library.
if(HLO_INDEXING_SANITIZE)
  set(static_program OFF)
endif()
option(HLO_INDEXING_STATIC_PROGRAM "Link static archives of MLIR, LLVM and Abseil into hlo-indexing"
  ${static_program})

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

# Looked for once: a compiler cache that is installed later must not make a build folder start again.
if(NOT DEFINED HLO_INDEXING_CCACHE)
  find_program(HLO_INDEXING_CCACHE ccache)
endif()
if(HLO_INDEXING_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache wants to be told that precompiled headers, whose macros and times it cannot see, are fine.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${HLO_INDEXING_CCACHE}")
endif()

# The version file of MLIR wants major.minor.
find_package(MLIR 22.1 CONFIG QUIET HINTS /usr/lib/llvm-22)
find_package(absl CONFIG QUIET)
foreach(package MLIR absl)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} is not there, or not in the version that is needed (MLIR 22). On Debian, "
      "tools/setup.sh installs all that is needed; elsewhere, CMAKE_PREFIX_PATH says where it is.")
  endif()
endforeach()
include(HloIndexingDependencies)
if(HLO_INDEXING_STATIC_PROGRAM AND HLO_INDEXING_MISSING_ARCHIVES)
  message(FATAL_ERROR "hlo-indexing is linked with static archives, and these are not there: "
    "${HLO_INDEXING_MISSING_ARCHIVES}. Configure with -DHLO_INDEXING_STATIC_PROGRAM=OFF to link it "
    "with the shared libraries instead.")
endif()

# Flags of our own code; dependencies are system headers.
add_library(hlo_indexing_flags INTERFACE)
target_compile_options(hlo_indexing_flags INTERFACE
  # In programs too: all sources then share a precompiled header.
  -fPIC
  # Nobody replaces functions of ours at run time, so GCC may inline them as Clang does.
  $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>
  # An eighth of GCC's time goes into collecting garbage while it needs less memory than this, in kB.
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>"
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  # GCC 12 reports concatenations of strings that are fine (GCC bugs 105329 and 105651).
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>"
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
if(HLO_INDEXING_PRECOMPILE AND HLO_INDEXING_CCACHE)
  # Cached objects are found by the contents of the precompiled header.
  target_compile_options(hlo_indexing_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
# LLVM's linker takes a tenth of the time of the system's. The one on the path may be another version's.
find_program(HLO_INDEXING_LLD ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH)
if(HLO_INDEXING_LLD)
  target_link_options(hlo_indexing_flags INTERFACE -fuse-ld=lld "-B${LLVM_TOOLS_BINARY_DIR}")
endif()
