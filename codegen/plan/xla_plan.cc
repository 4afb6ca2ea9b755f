#include "codegen/plan/xla_plan.h"

#include <array>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The dynamic-update-slice of a root, through bitcasts and conversions.
const Instruction* UpdateOf(const FusedComputation& fused, const Instruction& root) {
  const Instruction* instruction = &root;
  const auto is_passed = [&](Opcode opcode) {
    return opcode == Opcode::kBitcast || opcode == Opcode::kConvert || opcode == Opcode::kCopy;
  };
  while (is_passed(instruction->opcode()) && fused.Contains(instruction->operand(0))) {
    instruction = &instruction->operand(0);
  }
  return instruction->opcode() == Opcode::kDynamicUpdateSlice ? instruction : nullptr;
}

// Updates of parameters that nothing else reads: the buffers of the outputs are theirs.
std::optional<std::vector<const Instruction*>> UpdatesInPlace(const FusedComputation& fused) {
  std::vector<const Instruction*> updates;
  for (const FusionRoot& root : fused.roots()) {
    const Instruction* update = UpdateOf(fused, *root.instruction);
    if (update == nullptr || update != root.instruction) return std::nullopt;
    const Instruction* updated = &update->operand(0);
    while (updated->opcode() == Opcode::kBitcast && fused.Contains(*updated)) {
      updated = &updated->operand(0);
    }
    if (!llvm::is_contained(fused.inputs(), updated)) return std::nullopt;
    const int64_t readers = llvm::count_if(fused.instructions(), [&](const Instruction* user) {
      return llvm::is_contained(user->operands(), updated);
    });
    if (readers != 1) return std::nullopt;
    updates.push_back(update);
  }
  return updates;
}

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

}  // namespace

// Roots with reductions of the same dimensions, or as many elements as are reduced.
bool IsReductionFusion(const EmitterInput& input) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  const Instruction* first = nullptr;
  for (size_t i = 0; i < roots.size() && first == nullptr; ++i) {
    if (IsReductionHero(*roots[i].instruction, *input.heroes[i])) first = input.heroes[i];
  }
  if (first == nullptr) return false;
  const ReductionDimensions dimensions = DimensionsOf(*first);
  for (size_t i = 0; i < roots.size(); ++i) {
    const Instruction& root = *roots[i].instruction;
    if (IsReductionHero(root, *input.heroes[i])) {
      if (!(DimensionsOf(*input.heroes[i]) == dimensions)) return false;
    } else if (!root.shape().IsArray() ||
               root.shape().num_elements() != first->operand(0).shape().num_elements()) {
      return false;
    }
  }
  return true;
}

// At least one root with a transpose, all transposes alike, and other roots with as many elements.
bool IsTransposeFusion(const EmitterInput& input) {
  std::optional<NormalizedTranspose> first;
  int64_t elements = 0;
  for (const Instruction* hero : input.heroes) {
    const std::optional<NormalizedTranspose> transpose = TiledTransposeOf(*hero);
    if (!transpose.has_value()) continue;
    if (first.has_value() && !(*first == *transpose)) return false;
    first = transpose;
    elements = hero->shape().num_elements();
  }
  return first.has_value() && llvm::all_of(input.fused.roots(), [&](const FusionRoot& root) {
           return root.instruction->shape().IsArray() &&
                  root.instruction->shape().num_elements() == elements;
         });
}

bool IsConcatenateFusion(const EmitterInput& input) {
  constexpr size_t kMaxOperands = 4;
  return input.heroes.size() == 1 && input.heroes.front()->opcode() == Opcode::kConcatenate &&
         input.heroes.front()->operands().size() <= kMaxOperands;
}

const Emitters& XlaEmitters() {
  static constexpr Emitters kEmitters = {PlanLoop,        PlanTranspose,          PlanReduction,
                                         PlanConcatenate, PlanDynamicUpdateSlice, PlanScatter};
  return kEmitters;
}

KernelPlan PlanByEmitter(EmitterInput& input, const Emitters& emitters) {
  const FusedComputation& fused = input.fused;
  if (IsReductionFusion(input)) return emitters.reduction(input);
  if (IsTransposeFusion(input)) return emitters.transpose(input);
  if (fused.roots().size() == 1) {
    const Instruction& root = *fused.roots().front().instruction;
    if (root.opcode() == Opcode::kScatter) return emitters.scatter(input);
    if (IsConcatenateFusion(input)) return emitters.concatenate(input);
  }
  if (const auto updates = UpdatesInPlace(fused)) {
    input.heroes = *updates;
    return emitters.dynamic_update_slice(input);
  }
  return emitters.loop(input);
}

std::vector<PlannedRoot> PlannedRoots(const FusedComputation& fused) {
  std::vector<PlannedRoot> roots;
  for (const FusionRoot& root : fused.all_roots()) {
    roots.push_back(
        {root.instruction, root.first_output, root.instruction->shape().num_array_leaves()});
  }
  return roots;
}

namespace {

absl::StatusOr<KernelPlan> Plan(const FusedComputation& fused, const Instruction& instruction,
                                const Emitters& emitters, std::optional<int64_t> vector_elements,
                                PlanContext& plans) {
  if (absl::Status status = fused.CheckShapes(); !status.ok()) return status;
  EmitterInput input{fused, {}, plans, vector_elements};
  for (const FusionRoot& root : fused.roots()) {
    input.heroes.push_back(&FindHero(fused, *root.instruction));
  }
  KernelPlan plan = PlanByEmitter(input, emitters);
  plan.instruction = &instruction;
  plan.roots = PlannedRoots(fused);
  return plan;
}

}  // namespace

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

absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const Instruction& instruction,
                                    PlanContext& plans, std::optional<int64_t> vector_elements) {
  if (instruction.opcode() == Opcode::kFusion) {
    if (absl::Status status = CheckKind(instruction); !status.ok()) return status;
  } else if (absl::Status status = HasKernel(instruction); !status.ok()) {
    return status;
  }
  return Plan(FusedComputation(instruction), instruction, emitters, vector_elements, plans);
}

absl::StatusOr<KernelPlan> PlanWith(const Emitters& emitters, const hlo::Computation& computation,
                                    PlanContext& plans, std::optional<int64_t> vector_elements) {
  absl::StatusOr<KernelPlan> plan =
      Plan(FusedComputation(computation), computation.root(), emitters, vector_elements, plans);
  if (plan.ok()) plan->is_computation = true;
  return plan;
}

absl::StatusOr<KernelPlan> PlanLikeXla(const Instruction& instruction, PlanContext& plans) {
  return PlanWith(XlaEmitters(), instruction, plans);
}

absl::StatusOr<KernelPlan> PlanLikeXla(const hlo::Computation& computation, PlanContext& plans) {
  return PlanWith(XlaEmitters(), computation, plans);
}

}  // namespace hlo_indexing::plan
