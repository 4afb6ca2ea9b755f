#include "codegen/plan/xla_plan.h"

#include <array>
#include <cstddef>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/xla_emitters.h"
#include "hlo/attribute.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

llvm::StringRef NoKernelReason(NoKernel reason) {
  constexpr std::array<llvm::StringRef, 8> kReasons = {
      "moves no data: it needs no kernel",
      "runs other computations, whose instructions have kernels",
      "runs as the kernels of its instructions: one of them is always a kernel by itself",
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
    case Opcode::kFusion:
      return RunsAsCall(instruction) ? std::optional(NoKernel::kSeveralKernels) : std::nullopt;
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

namespace {

// Custom fusions that XLA gives to Triton or to a library say so in their configuration.
absl::Status CheckKind(const Instruction& fusion) {
  const hlo::Attribute* config = fusion.Find(AttributeName::kBackendConfig);
  if (config == nullptr) return absl::OkStatus();
  llvm::StringRef text;
  if (const auto* raw = std::get_if<hlo::RawText>(&config->value)) text = raw->text;
  if (const auto* quoted = std::get_if<hlo::QuotedString>(&config->value)) text = quoted->escaped;
  for (const llvm::StringRef kind : {"__triton", "__cudnn", "__custom_fusion", "__cublas"}) {
    if (!text.contains(kind)) continue;
    return absl::UnimplementedError(absl::StrCat(
        "%", fusion.name().str(), " is a fusion of the kind ", kind.str(),
        ": not one of XLA's own emitters, but Triton or a library decides how it is launched"));
  }
  return absl::OkStatus();
}

absl::Status XlaHasKernel(const Instruction& instruction) {
  if (absl::Status status = HasKernel(instruction); !status.ok()) return status;
  return instruction.opcode() == Opcode::kFusion ? CheckKind(instruction) : absl::OkStatus();
}

}  // namespace

const Emitters& XlaEmitters() {
  // What is by itself XLA expands to other instructions, or gives to libraries.
  static constexpr Emitters kEmitters = {XlaHasKernel,  PlanLoop,        PlanTranspose,
                                         PlanReduction, PlanConcatenate, PlanDynamicUpdateSlice,
                                         PlanScatter,   PlanLoop};
  return kEmitters;
}

absl::StatusOr<KernelPlan> PlanLikeXla(const Instruction& instruction, PlanContext& plans) {
  return PlanWith(XlaEmitters(), instruction, plans);
}

absl::StatusOr<KernelPlan> PlanLikeXla(const hlo::Computation& computation, PlanContext& plans) {
  return PlanWith(XlaEmitters(), computation, plans);
}

}  // namespace hlo_indexing::plan
