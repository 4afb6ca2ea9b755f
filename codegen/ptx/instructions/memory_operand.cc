#include "codegen/ptx/instructions/memory_operand.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {

Space TakeAccessSpace(InstructionDecoder& d) {
  return d.Take("shared::cluster") ? Space::kShared : d.TakeSpace();
}

absl::StatusOr<MemoryOperand> DecodeMemoryOperand(InstructionDecoder& d, int operand, Space space) {
  MemoryOperand result;
  HLO_INDEXING_ASSIGN_OR_RETURN(result.address, d.Address(operand));
  const Space of_variable = result.address.variable_space;
  if (space != Space::kGeneric && of_variable != Space::kGeneric && of_variable != space) {
    return d.OperandError(operand, "the variable is in ." + std::string(NameOf(of_variable)) +
                                       ", the access in ." + std::string(NameOf(space)));
  }
  result.space = space == Space::kGeneric ? of_variable : space;
  // Parameters and results of functions are local memory of the activation. Where a register holds
  // the address (a function that takes the address of its parameter), the function tells.
  const bool is_of_function = result.address.is_in_frame ||
                              (of_variable == Space::kGeneric && !d.function().source().is_entry);
  if (result.space == Space::kParam && is_of_function) result.space = Space::kLocal;
  return result;
}

void SetAddresses(const MemoryOperand& operand, const Execution& execution, WarpAccess& access) {
  const AddressOperand& address = operand.address;
  access.space = operand.space;
  access.lanes = execution.lanes;
  auto offset = static_cast<uint64_t>(address.offset);
  if (address.is_in_frame) offset += execution.warp->current().activation->local_base;
  if (address.base == kNoSlot) {
    access.addresses.fill(offset);
  } else if (address.is_wide) {
    const auto* base = execution.At<uint64_t>(address.base);
    for (size_t lane = 0; lane < kWarpSize; ++lane) access.addresses[lane] = base[lane] + offset;
  } else {
    // 32-bit addresses wrap around at 2^32.
    const auto* base = execution.At<uint32_t>(address.base);
    const auto narrow = static_cast<uint32_t>(offset);
    for (size_t lane = 0; lane < kWarpSize; ++lane) access.addresses[lane] = base[lane] + narrow;
  }
}

void KeepShared(const Operation& operation, const Execution& execution, WarpAccess& access) {
  if (access.space != Space::kGeneric) return;
  constexpr uint32_t kNotShared = 40;  // tells the findings at one operation apart
  LaneMask strangers = 0;
  ForEachLane(access.lanes, [&](int lane) {
    const uint64_t address = access.addresses[static_cast<size_t>(lane)];
    if (SpaceOfGeneric(address) == Space::kShared) return;
    strangers |= LaneMask{1} << lane;
  });
  if (strangers == 0) return;
  ReportFindingLazily(operation, execution, Check::kMemcheck, strangers, kNotShared, [&] {
    const auto lane = static_cast<size_t>(std::countr_zero(strangers));
    return absl::StrCat("the generic address 0x", absl::Hex(access.addresses[lane]),
                        " is not of shared memory, of which this instruction is");
  });
  access.lanes &= ~strangers;
}

}  // namespace hlo_indexing::ptx
