#include "indexing_analysis/analysis.h"

#include <map>
#include <optional>

#include "indexing_analysis/device_groups.h"
#include "indexing_analysis/operand_renaming.h"
#include "indexing_analysis/passed_on.h"
#include "indexing_analysis/path_follower.h"
#include "llvm/ADT/DenseMap.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

}  // namespace

// What has been found before.
class IndexingAnalysis::Cache {
 public:
  Cache(mlir::MLIRContext* context, const AnalysisOptions& options)
      : context_(context), options_(options), memory_(context, options) {}

  // Null for instructions that share nothing with others.
  InstructionClass* ClassOf(const Instruction& instruction, int64_t output_leaf) {
    return memory_.classes.Of(instruction, output_leaf);
  }

  // What is known of the example as that of an equal instruction.
  OutputIndexing RenameOperands(const OutputIndexing& known, const Instruction& example,
                                const Instruction& instruction) {
    std::vector<OperandIndexing> operands(known.operands());
    for (OperandIndexing& operand : operands) {
      if (operand.maps == nullptr || !llvm::any_of(*operand.maps, HasRuntimeValues)) continue;
      MapList& maps = memory_.lists.emplace_back();
      for (const IndexingMap& map : *operand.maps) {
        maps.push_back(indexing_analysis::RenameOperands(map, example, instruction));
      }
      operand.maps = &maps;
    }
    return OutputIndexing(operands);
  }

  // The identity on an array of that shape, as the list of one map; an empty list for no elements.
  const MapList* Identity(const Shape& shape) {
    const MapList*& list = identities_[&shape.untyped()];
    if (list != nullptr) return list;
    MapList maps;
    if (shape.num_elements() != 0) {
      const mlir::AffineMap map =
          mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(shape.rank()), context_);
      maps.push_back(Simplify(IndexingMap::FromSizes(map, shape.sizes())));
    }
    return list = &memory_.lists.emplace_back(std::move(maps));
  }

  // The follower of an output array and those with the same sizes. That of the last instruction is
  // kept: who asks for one output and direction asks for the others.
  PathFollower& Follower(const Instruction& instruction, int64_t output_leaf) {
    if (&instruction != last_instruction_) {
      last_instruction_ = &instruction;
      last_groups_.clear();
      for (int64_t leaf = 0; leaf < instruction.shape().num_array_leaves(); ++leaf) {
        last_groups_[instruction.shape().ArrayLeaf(leaf).sizes()].leaves.push_back(leaf);
      }
    }
    LeafGroup& group = last_groups_[instruction.shape().ArrayLeaf(output_leaf).sizes()];
    if (!group.follower) {
      ModuleFacts& facts = FactsOf(instruction.parent().parent());
      group.follower.emplace(context_, options_, memory_, facts.array_reads, facts.devices,
                             instruction, group.leaves);
    }
    return *group.follower;
  }

 private:
  // Output arrays of the same sizes.
  struct LeafGroup {
    llvm::SmallVector<int64_t, 1> leaves;
    std::optional<PathFollower> follower;
  };

  struct ModuleFacts {
    ModuleFacts(mlir::MLIRContext* context, const AnalysisOptions& options,
                const hlo::Module& module)
        : devices(CountDevices(module)), array_reads(context, options, devices) {}

    DeviceCounts devices;
    ArrayReadsFinder array_reads;
  };

  ModuleFacts& FactsOf(const hlo::Module& module) {
    return modules_.try_emplace(&module, context_, options_, module).first->second;
  }

  mlir::MLIRContext* context_;
  const AnalysisOptions& options_;
  llvm::DenseMap<const Shape*, const MapList*> identities_;
  FollowerMemory memory_;
  std::map<const hlo::Module*, ModuleFacts> modules_;
  const Instruction* last_instruction_ = nullptr;
  // By their sizes.
  std::map<llvm::ArrayRef<int64_t>, LeafGroup> last_groups_;
};

llvm::StringRef ExactnessName(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kSuperset:
      return "superset";
    case Exactness::kUnknown:
      break;
  }
  return "unknown";
}

IndexingAnalysis::IndexingAnalysis(mlir::MLIRContext* context, AnalysisOptions options)
    : context_(context), options_(options), cache_(std::make_unique<Cache>(context_, options_)) {}

IndexingAnalysis::~IndexingAnalysis() = default;

OutputIndexing IndexingAnalysis::OutputToInput(const Instruction& instruction,
                                               int64_t output_leaf) {
  return Indexing(instruction, output_leaf, Direction::kOutputToInput);
}

OutputIndexing IndexingAnalysis::InputToOutput(const Instruction& instruction,
                                               int64_t output_leaf) {
  return Indexing(instruction, output_leaf, Direction::kInputToOutput);
}

OutputIndexing IndexingAnalysis::Indexing(const Instruction& instruction, int64_t output_leaf,
                                          Direction direction) {
  const bool is_tuple =
      instruction.opcode() == Opcode::kTuple || instruction.opcode() == Opcode::kGetTupleElement;
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  if (is_tuple && !output.HasUnboundedDimension()) {
    return PassThrough(instruction, output_leaf, output);
  }
  if (instruction.operands().empty() && !output.HasUnboundedDimension()) return {};
  InstructionClass* alike = cache_->ClassOf(instruction, output_leaf);
  std::optional<OutputIndexing>* known =
      alike == nullptr ? nullptr : &alike->indexing[static_cast<size_t>(direction)];
  const Instruction* example = alike == nullptr ? nullptr : alike->example;
  if (known != nullptr && *known) {
    const bool is_other = example != nullptr && example != &instruction;
    return is_other ? cache_->RenameOperands(**known, *example, instruction) : **known;
  }
  // Only what has been found for the example may refer to its operands.
  const Instruction& asked = example != nullptr ? *example : instruction;
  PathFollower& follower = cache_->Follower(asked, output_leaf);
  OutputIndexing result = follower.Report(output_leaf, direction == Direction::kOutputToInput
                                                           ? MapDirection::kOutputToInput
                                                           : MapDirection::kInputToOutput);
  if (known != nullptr && (example != nullptr || !follower.depends_on_values())) *known = result;
  return &asked == &instruction ? result : cache_->RenameOperands(result, asked, instruction);
}

OutputIndexing IndexingAnalysis::PassThrough(const Instruction& instruction, int64_t output_leaf,
                                             const Shape& output) {
  OperandIndexing indexing;
  indexing.maps = cache_->Identity(output);
  if (indexing.maps->empty()) return {};
  const std::optional<OperandLeaf> from = PassedOn(instruction, output_leaf);
  indexing.operand = from->operand;
  indexing.leaf = from->leaf;
  return OutputIndexing(indexing);
}

}  // namespace hlo_indexing::indexing_analysis
