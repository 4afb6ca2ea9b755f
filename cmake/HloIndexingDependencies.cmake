# MLIR, LLVM and Abseil as this project links them: the target hlo_indexing::dependencies. Installed with the package;
# needs find_package(MLIR) and find_package(absl) before it.
#
# Each executable decides for itself what is linked. By default the shared libraries of MLIR and LLVM, of which a program
# may use more than this project does. With the property HLO_INDEXING_STATIC of the executable,
#   set_target_properties(my_program PROPERTIES HLO_INDEXING_STATIC ON)
# what it needs of their static archives, of Abseil's and of the C++ library's: one file that starts in milliseconds. Such
# a program must not link the targets MLIR and LLVM beside, which are the shared libraries.
include_guard(GLOBAL)

# The archives that the libraries use, to which hlo_indexing_archives adds what these need of the same projects. LLVM's
# have to be named here: the targets of MLIR's archives name the shared library LLVM instead. What a program does not use
# of an archive is not linked, so all programs share the list.
set(HLO_INDEXING_STATIC_ROOTS MLIRAnalysis MLIRPresburger MLIRIR LLVMSupport absl::status absl::statusor
  # Kernels.
  MLIRArithDialect MLIRArithToLLVM MLIRBuiltinToLLVMIRTranslation MLIRControlFlowToLLVM MLIRLLVMToLLVMIRTranslation
  MLIRNVVMToLLVMIRTranslation MLIRReconcileUnrealizedCasts MLIRSCFDialect MLIRSCFToControlFlow MLIRTransforms
  LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo LLVMPasses)

# hlo_indexing_archives(ROOT... ARCHIVES variable MISSING variable): the files of the archives, and those that are not
# there.
function(hlo_indexing_archives)
  cmake_parse_arguments(ARG "" "ARCHIVES;MISSING" "" ${ARGN})
  set(pending ${ARG_UNPARSED_ARGUMENTS})
  # The shared libraries: beside the archives they would define each symbol twice.
  set(seen LLVM MLIR)
  set(archives "")
  set(missing "")
  while(pending)
    list(POP_FRONT pending library)
    # What is left out: zlib, zstd and z3, which LLVM's support library names and nothing here calls through it.
    if(library IN_LIST seen OR NOT library MATCHES "^(MLIR|LLVM|absl::)")
      continue()
    endif()
    list(APPEND seen "${library}")
    if(NOT TARGET "${library}")
      list(APPEND missing "${library}")
      continue()
    endif()
    get_target_property(type "${library}" TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      get_target_property(archive "${library}" LOCATION)
      # Debian's package files of Abseil name its shared libraries; the archives lie beside them.
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${archive}")
      list(APPEND archives "${archive}")
      if(NOT EXISTS "${archive}")
        list(APPEND missing "${archive}")
      endif()
    endif()
    get_target_property(dependencies "${library}" INTERFACE_LINK_LIBRARIES)
    if(dependencies)
      list(APPEND pending ${dependencies})
    endif()
  endwhile()
  set(${ARG_ARCHIVES} "${archives}" PARENT_SCOPE)
  set(${ARG_MISSING} "${missing}" PARENT_SCOPE)
endfunction()

hlo_indexing_archives(${HLO_INDEXING_STATIC_ROOTS}
  ARCHIVES hlo_indexing_archive_files MISSING HLO_INDEXING_MISSING_ARCHIVES)
# Modules that a program loads: Debian's archives of Abseil are for programs only (their thread-local variables are). One
# that defines what these lack (python/core/abseil.cc) says so by the property HLO_INDEXING_STATIC_ABSEIL.
set(hlo_indexing_abseil_archive_files ${hlo_indexing_archive_files})
list(FILTER hlo_indexing_abseil_archive_files INCLUDE REGEX "libabsl_[^/]*$")
list(REMOVE_ITEM hlo_indexing_archive_files ${hlo_indexing_abseil_archive_files})
set(hlo_indexing_is_static "$<BOOL:$<TARGET_PROPERTY:HLO_INDEXING_STATIC>>")
set(hlo_indexing_is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
set(hlo_indexing_has_abseil "$<OR:${hlo_indexing_is_program},$<BOOL:$<TARGET_PROPERTY:HLO_INDEXING_STATIC_ABSEIL>>>")

add_library(hlo_indexing::dependencies INTERFACE IMPORTED)
target_include_directories(hlo_indexing::dependencies INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
# The archives are a group, through which the linker goes until it finds nothing new.
target_link_libraries(hlo_indexing::dependencies INTERFACE
  "$<IF:${hlo_indexing_is_static},$<LINK_GROUP:RESCAN,${hlo_indexing_archive_files}>,MLIR;LLVM>"
  "$<IF:$<AND:${hlo_indexing_is_static},${hlo_indexing_has_abseil}>,$<LINK_GROUP:RESCAN,${hlo_indexing_abseil_archive_files}>,absl::status;absl::statusor>"
  "$<${hlo_indexing_is_static}:dl;m>")
target_link_options(hlo_indexing::dependencies INTERFACE
  "$<${hlo_indexing_is_static}:-static-libstdc++;-static-libgcc;LINKER:--gc-sections>"
  # Relocating the tables of a position independent program would take longer than the rest of its start.
  "$<$<AND:${hlo_indexing_is_static},${hlo_indexing_is_program}>:-no-pie>"
  # A fifth of a program that is shipped would be its table of symbols; RelWithDebInfo keeps it for profilers.
  "$<$<AND:${hlo_indexing_is_static},${hlo_indexing_is_program},$<CONFIG:Release>>:LINKER:--strip-all>")

# What a library that uses neither MLIR nor LLVM is linked to: Abseil alone, as the program links it.
add_library(hlo_indexing::abseil INTERFACE IMPORTED)
target_link_libraries(hlo_indexing::abseil INTERFACE
  "$<IF:${hlo_indexing_is_static},hlo_indexing::dependencies,absl::status;absl::statusor>")
