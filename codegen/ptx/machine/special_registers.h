// Special registers (§10): their widths, and their values when an activation begins.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_SPECIAL_REGISTERS_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_SPECIAL_REGISTERS_H_

#include <cstdint>
#include <string_view>

#include "codegen/ptx/machine/operation.h"

namespace hlo_indexing::ptx {

/// Bits of a special register (32 or 64; 1: a predicate); 0 if there is none of this name.
/// Example: "%tid.x" -> 32
int SpecialRegisterWidth(std::string_view name);

/// Whether its value changes while a thread runs (%clock, %clock64, %globaltimer and their halves):
/// it is then read anew each time.
bool IsClock(std::string_view name);

/// The value of a special register in the lanes of a warp, written to the slot. What a device
/// chooses freely is fixed: %smid is the number of the block modulo 132, %warpid the warp's number
/// in its block; a cluster is one block; %envreg registers are 0 but for those that tell a
/// cooperative launch where the barrier of the grid is. A clock counts the warp instructions of the
/// launch so far.
void FillSpecialRegister(std::string_view name, Slot slot, Execution& execution);

/// Bytes of shared memory that the system keeps for itself in each block.
inline constexpr uint64_t kReservedSharedBytes = 1024;

/// The address of the generic space where the memory of the activation's own variables begins.
inline constexpr std::string_view kLocalBase = "%local_base";

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_SPECIAL_REGISTERS_H_
