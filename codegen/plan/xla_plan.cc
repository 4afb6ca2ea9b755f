#include "codegen/plan/xla_plan.h"

#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "codegen/plan/xla_emitters.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

llvm::StringRef NoKernelReason(NoKernel reason) {
  constexpr std::array<llvm::StringRef, 7> kReasons = {
      "moves no data: it needs no kernel",
      "runs other computations, whose instructions have kernels",
      "is a copy by the copy engine",
      "moves data between devices: a library does it",
      "is a value of the runtime",
      "is the call of a library",
      "is expanded to several kernels before XLA emits code"};
  return kReasons[static_cast<size_t>(reason)];
}

std::optional<NoKernel> WhyNoKernel(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kDomain:
      return NoKernel::kNoData;
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return NoKernel::kOtherComputations;
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
      return NoKernel::kCopyEngine;
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
      return NoKernel::kCollective;
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
    case Opcode::kRngGetAndUpdateState:
      return NoKernel::kRuntimeValue;
    case Opcode::kCustomCall:
    case Opcode::kDot:
    case Opcode::kFft:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kConvolution:
    case Opcode::kTopK:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return NoKernel::kLibrary;
    case Opcode::kSort:
    case Opcode::kSelectAndScatter:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kScan:
      return NoKernel::kExpanded;
    default:
      return std::nullopt;
  }
}

absl::Status HasKernel(const Instruction& instruction) {
  const std::optional<NoKernel> reason = WhyNoKernel(instruction);
  if (!reason.has_value()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("%", instruction.name().str(), ": ",
                                               hlo::OpcodeName(instruction.opcode()).str(), " ",
                                               NoKernelReason(*reason).str()));
}

const Emitters& XlaEmitters() {
  static constexpr Emitters kEmitters = {PlanLoop,        PlanTranspose,          PlanReduction,
                                         PlanConcatenate, PlanDynamicUpdateSlice, PlanScatter};
  return kEmitters;
}

absl::StatusOr<KernelPlan> PlanLikeXla(const Instruction& instruction, PlanContext& plans) {
  return PlanWith(XlaEmitters(), instruction, plans);
}

absl::StatusOr<KernelPlan> PlanLikeXla(const hlo::Computation& computation, PlanContext& plans) {
  return PlanWith(XlaEmitters(), computation, plans);
}

}  // namespace hlo_indexing::plan
