#include "hlo/parser/unknown_attributes.h"

#include <initializer_list>
#include <string>

#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace hlo_indexing::hlo {
namespace {

// What XLA's printer and parser of modules have.
constexpr llvm::StringLiteral kHeaderNames[] = {
    "alias_passthrough_params",
    "allow_spmd_sharding_propagation_to_output",
    "allow_spmd_sharding_propagation_to_parameters",
    "buffer_donor",
    "entry_computation_layout",
    "frontend_attributes",
    "input_output_alias",
    "is_scheduled",
    "num_partitions",
    "replica_count",
    "use_auto_spmd_partitioning",
};

bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool IsTransfer(Opcode opcode) {
  return opcode == Opcode::kSend || opcode == Opcode::kSendDone || opcode == Opcode::kRecv ||
         opcode == Opcode::kRecvDone;
}

bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

bool IsContraction(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kRaggedDot || opcode == Opcode::kScaledDot;
}

// Whether HLO gives the attribute a meaning for the opcode. Those that it must have are in the
// table of opcodes, so that the rest are those that it may have.
bool IsAttributeOf(AttributeName name, Opcode opcode) {
  if (IsAnnotation(name) || llvm::is_contained(InfoOf(opcode).required_attributes, name)) {
    return true;
  }
  const auto any_of = [opcode](std::initializer_list<Opcode> opcodes) {
    return llvm::is_contained(opcodes, opcode);
  };
  switch (name) {
    case AttributeName::kAlgorithm:
      return IsContraction(opcode) || any_of({Opcode::kConvolution, Opcode::kRngBitGenerator});
    case AttributeName::kApiVersion:
    case AttributeName::kCustomCallHasSideEffect:
    case AttributeName::kLiteral:
    case AttributeName::kOperandLayoutConstraints:
    case AttributeName::kSchedule:
      return opcode == Opcode::kCustomCall;
    case AttributeName::kAsyncExecutionThread:
      return IsAsync(opcode);
    case AttributeName::kBatchGroupCount:
    case AttributeName::kDimLabels:
    case AttributeName::kFeatureGroupCount:
    case AttributeName::kPaddingType:
      return any_of({Opcode::kConvolution, Opcode::kCustomCall});
    case AttributeName::kBranchComputations:
    case AttributeName::kFalseComputation:
    case AttributeName::kTrueComputation:
      return opcode == Opcode::kConditional;
    case AttributeName::kCalledComputations:
      return any_of({Opcode::kCustomCall, Opcode::kCall, Opcode::kFusion}) || IsAsync(opcode);
    case AttributeName::kCalls:
      return any_of({Opcode::kFusion, Opcode::kCustomCall, Opcode::kCall}) || IsAsync(opcode);
    case AttributeName::kChannelId:
      return IsCollective(opcode) || IsTransfer(opcode);
    case AttributeName::kCollapsedSliceDims:
    case AttributeName::kOffsetDims:
    case AttributeName::kOperandBatchingDims:
    case AttributeName::kStartIndexMap:
    case AttributeName::kStartIndicesBatchingDims:
      return opcode == Opcode::kGather;
    case AttributeName::kConstrainLayout:
    case AttributeName::kMode:
    case AttributeName::kReplicaGroups:
    case AttributeName::kUseGlobalDeviceIds:
      return IsCollective(opcode);
    case AttributeName::kCrossProgramPrefetchIndex:
      return opcode == Opcode::kCopyStart;
    case AttributeName::kDimensions:
      return any_of({Opcode::kAllGather, Opcode::kAllGatherStart, Opcode::kAllToAll,
                     Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kGetDimensionSize,
                     Opcode::kMap, Opcode::kReduce, Opcode::kReduceScatter, Opcode::kReverse,
                     Opcode::kScan, Opcode::kSetDimensionSize, Opcode::kSort, Opcode::kTranspose});
    case AttributeName::kType:
      return opcode == Opcode::kCompare;
    case AttributeName::kDomain:
      return opcode == Opcode::kDomain;
    case AttributeName::kEpsilon:
      return any_of(
          {Opcode::kBatchNormGrad, Opcode::kBatchNormInference, Opcode::kBatchNormTraining});
    case AttributeName::kHasDynamicRoot:
      return opcode == Opcode::kCollectiveBroadcast;
    case AttributeName::kIndexVectorDim:
    case AttributeName::kIndicesAreSorted:
      return any_of({Opcode::kGather, Opcode::kScatter});
    case AttributeName::kInferredDimension:
      return opcode == Opcode::kReshape;
    case AttributeName::kInfeedConfig:
      return opcode == Opcode::kInfeed;
    case AttributeName::kInputBatchingDims:
    case AttributeName::kInsertedWindowDims:
    case AttributeName::kScatterDimsToOperandDims:
    case AttributeName::kScatterIndicesBatchingDims:
    case AttributeName::kUniqueIndices:
    case AttributeName::kUpdateWindowDims:
      return opcode == Opcode::kScatter;
    case AttributeName::kIsAssociative:
    case AttributeName::kIsReverse:
    case AttributeName::kNumCarries:
      return opcode == Opcode::kScan;
    case AttributeName::kIsComposite:
      return opcode == Opcode::kCall;
    case AttributeName::kIsHostTransfer:
      return IsTransfer(opcode);
    case AttributeName::kIsStable:
      return opcode == Opcode::kSort;
    case AttributeName::kLargest:
      return opcode == Opcode::kTopK;
    case AttributeName::kKind:
      return opcode == Opcode::kFusion;
    case AttributeName::kLeftSide:
    case AttributeName::kTransposeA:
    case AttributeName::kUnitDiagonal:
      return opcode == Opcode::kTriangularSolve;
    case AttributeName::kLhsBatchDims:
    case AttributeName::kLhsContractingDims:
    case AttributeName::kRhsBatchDims:
    case AttributeName::kRhsContractingDims:
      return IsContraction(opcode);
    case AttributeName::kLhsRaggedDims:
    case AttributeName::kRhsGroupDims:
      return opcode == Opcode::kRaggedDot;
    case AttributeName::kLower:
      return any_of({Opcode::kCholesky, Opcode::kTriangularSolve});
    case AttributeName::kOperandPrecision:
      return IsContraction(opcode) || any_of({Opcode::kConvolution, Opcode::kCustomCall});
    case AttributeName::kOutfeedConfig:
    case AttributeName::kOutfeedShape:
      return opcode == Opcode::kOutfeed;
    case AttributeName::kOutputToOperandAliasing:
      return any_of({Opcode::kCustomCall, Opcode::kFusion, Opcode::kCall}) || IsAsync(opcode);
    case AttributeName::kParameterReplication:
      return opcode == Opcode::kParameter;
    case AttributeName::kSliceSizes:
      return any_of({Opcode::kGather, Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart});
    case AttributeName::kSourceTargetPairs:
      return any_of({Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart}) ||
             IsTransfer(opcode);
    case AttributeName::kSparsity:
      return opcode == Opcode::kDot;
    case AttributeName::kToApply:
      return any_of({Opcode::kAllReduce, Opcode::kAllReduceStart, Opcode::kCall,
                     Opcode::kCustomCall, Opcode::kMap, Opcode::kReduce, Opcode::kReduceScatter,
                     Opcode::kReduceWindow, Opcode::kScan, Opcode::kScatter, Opcode::kSort});
    case AttributeName::kWindow:
      return any_of({Opcode::kConvolution, Opcode::kCustomCall, Opcode::kReduceWindow,
                     Opcode::kSelectAndScatter});
    default:
      return false;
  }
}

}  // namespace

std::vector<support::Diagnostic> UnknownAttributes(const Module& module) {
  std::vector<support::Diagnostic> result;
  if (module.text().empty()) return result;
  llvm::StringSet<> seen;
  const auto add = [&](const Attribute& attribute, llvm::StringRef what, const llvm::Twine& of) {
    const std::string text =
        (what + " '" + support::Quotable(attribute.text) + "'" + of + " is ignored").str();
    if (!seen.insert(text).second) return;
    result.push_back(support::MakeDiagnostic(module.source(), attribute.offset, text));
  };
  for (const Attribute& attribute : module.attributes()) {
    if (!llvm::is_contained(kHeaderNames, attribute.text)) {
      add(attribute, "unknown attribute of the module", "");
    }
  }
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Attribute& attribute : instruction->attributes()) {
        if (attribute.name == AttributeName::kOther) {
          add(attribute, "unknown attribute", "");
        } else if (!IsAttributeOf(attribute.name, instruction->opcode())) {
          add(attribute, "attribute",
              llvm::Twine(" of '") + OpcodeName(instruction->opcode()) + "'");
        }
      }
    }
    // These stand behind the instructions.
    for (const Attribute& attribute : computation->attributes()) {
      if (attribute.text != "execution_thread" &&
          ParseAttributeName(attribute.text) == AttributeName::kOther) {
        add(attribute, "unknown attribute of a computation", "");
      }
    }
  }
  return result;
}

}  // namespace hlo_indexing::hlo
