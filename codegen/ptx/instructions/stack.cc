// Local memory whose size is known when it is asked for (PTX ISA 9.7.16): alloca, stacksave,
// stackrestore. It lies behind the variables of the activation and lives until lanes return from
// it.
//
// Example: alloca.u64 %rd1, %rd2, 16 with 40 in one lane and 72 in another one adds 80 bytes for
// all lanes of the activation; %rd1 is where they begin, the same in all.
#include "codegen/ptx/instructions/stack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

/// What activations begin at multiples of, and without an operand what is allocated.
constexpr uint64_t kGrain = 16;

template <typename Pointer>
Step ExecuteAlloca(const Operation& operation, Execution& execution) {
  const Pointer* const sizes = execution.At<Pointer>(operation.slots[1]);
  const auto alignment = static_cast<uint64_t>(operation.immediate);
  uint64_t bytes = 0;
  ForEachLane(execution.lanes, [&](int lane) { bytes = std::max<uint64_t>(bytes, sizes[lane]); });
  Warp& warp = *execution.warp;
  const uint64_t end = warp.current().activation->LocalEnd();
  const uint64_t most = execution.launch->options->max_local_bytes_per_thread;
  const uint64_t start = (end + alignment - 1) / alignment * alignment;
  if (start > most || bytes > most - start) {
    StopForStack(operation, execution,
                 absl::StrCat("more than ", most, " bytes of local memory in a thread"));
    return Step::kReschedule;
  }
  warp.GrowStack(execution.lanes, (start - end + bytes + kGrain - 1) / kGrain * kGrain);
  Pointer* const result = execution.At<Pointer>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { result[lane] = static_cast<Pointer>(start); });
  return Step::kNext;
}

template <typename Pointer>
Step ExecuteStackSave(const Operation& operation, Execution& execution) {
  const uint64_t end = execution.warp->current().activation->LocalEnd();
  Pointer* const result = execution.At<Pointer>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { result[lane] = static_cast<Pointer>(end); });
  return Step::kNext;
}

/// Gives memory back where all lanes of the activation do; else others may still use it.
template <typename Pointer>
Step ExecuteStackRestore(const Operation& operation, Execution& execution) {
  Activation& activation = *execution.warp->current().activation;
  if (execution.lanes != activation.lanes) return Step::kNext;
  const Pointer* const ends = execution.At<Pointer>(operation.slots[0]);
  uint64_t end = activation.LocalEnd() - activation.stack_bytes;
  ForEachLane(execution.lanes, [&](int lane) { end = std::max<uint64_t>(end, ends[lane]); });
  if (end < activation.LocalEnd()) activation.stack_bytes -= activation.LocalEnd() - end;
  return Step::kNext;
}

absl::Status DecodeAlloca(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kU64}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2, 3));
  Operation operation;
  operation.execute = type == Type::kU32 ? ExecuteAlloca<uint32_t> : ExecuteAlloca<uint64_t>;
  operation.pipe = Pipe::kControl;
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, type));
  operation.immediate = kGrain;
  if (d.num_operands() == 3) {
    constexpr int64_t kMostAlignment = int64_t{1} << 23;
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t alignment, d.Constant(2));
    if (alignment < 1 || alignment > kMostAlignment ||
        !std::has_single_bit(static_cast<uint64_t>(alignment))) {
      return d.OperandError(2, "an alignment is a power of two, at most 2^23");
    }
    operation.immediate = alignment;
  }
  return d.Emit(std::move(operation));
}

absl::Status DecodeStackSave(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kU64}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, d.Destination(0, type));
  return d.Emit(
      {.execute = type == Type::kU32 ? ExecuteStackSave<uint32_t> : ExecuteStackSave<uint64_t>,
       .slots = {slot},
       .pipe = Pipe::kControl});
}

absl::Status DecodeStackRestore(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kU64}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, d.Source(0, type));
  return d.Emit({.execute = type == Type::kU32 ? ExecuteStackRestore<uint32_t>
                                               : ExecuteStackRestore<uint64_t>,
                 .slots = {slot},
                 .pipe = Pipe::kControl});
}

constexpr std::array kRows = {
    OpcodeRow{"alloca", DecodeAlloca},
    OpcodeRow{"stackrestore", DecodeStackRestore},
    OpcodeRow{"stacksave", DecodeStackSave},
};

}  // namespace

void StopForStack(const Operation& operation, Execution& execution, std::string_view what) {
  ReportFinding(operation, execution, Check::kMemcheck, execution.lanes,
                absl::StrCat("stack overflow: ", std::string(what)));
  execution.launch->is_stopped = true;
  execution.launch->stop_reason = "stack overflow";
}

std::span<const OpcodeRow> StackOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
