#include "indexing_analysis/analysis.h"

#include <map>
#include <optional>

#include "indexing_analysis/propagation/array_reads.h"
#include "indexing_analysis/propagation/map_writer.h"
#include "indexing_analysis/propagation/operand_renaming.h"
#include "indexing_analysis/propagation/propagation.h"
#include "indexing_analysis/rules/device_groups.h"
#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;
using hlo::Shape;

namespace {

// Whether the array of the operand that a tuple or get-tuple-element hands on has the same sizes.
bool IsForwardedWhole(const Instruction& instruction, int64_t output_leaf) {
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  const std::optional<OperandArray> from = ForwardedOperand(instruction, output_leaf);
  return from &&
         instruction.operand(from->operand).shape().ArrayLeaf(from->leaf).sizes() == output.sizes();
}

}  // namespace

// What earlier queries have found.
class IndexingAnalysis::Cache {
 public:
  // What is found once of each module.
  struct ModuleFacts {
    ModuleFacts(mlir::MLIRContext* context, const AnalysisOptions& options,
                const hlo::Module& module)
        : devices(CountDevices(module)), array_reads(context, options, devices) {}

    DeviceCounts devices;
    ArrayReadsFinder array_reads;
  };

  Cache(mlir::MLIRContext* context, const AnalysisOptions& options)
      : context_(context), options_(options), memory_(context, options) {}

  // Null for instructions that share no answers with others.
  InstructionClass* ClassOf(const Instruction& instruction, int64_t output_leaf) {
    if (IsDisabled(MemoTable::kClassAnswers)) return nullptr;
    return memory_.classes.Of(instruction, output_leaf);
  }

  // What is known of the representative as that of an equal instruction.
  static OutputIndexing RenameOperands(const OutputIndexing& known,
                                       const Instruction& representative,
                                       const Instruction& instruction) {
    const auto has_values = [](const OperandIndexing& operand) {
      return llvm::any_of(operand.maps(),
                          [](const OperandMap& map) { return HasRuntimeValues(map.map); });
    };
    if (llvm::none_of(known.operands(), has_values)) return known;
    const auto rename = [&](const IndexingMap& map) {
      return indexing_analysis::RenameOperands(map, representative, instruction);
    };
    OutputIndexing::Operands::Elements operands;
    for (const OperandIndexing& operand : known.operands()) {
      if (!has_values(operand)) {
        operands.push_back(operand);
        continue;
      }
      MapList::Elements maps;
      for (const OperandMap& map : operand.maps()) {
        OperandMap& renamed = maps.emplace_back();
        renamed.map = rename(map.map);
        if (map.replica_map) renamed.replica_map = rename(*map.replica_map);
      }
      operands.push_back(operand.WithMaps(MapList(std::move(maps))));
    }
    return OutputIndexing(std::move(operands));
  }

  // The identity on an array of that shape, as the list of one map; an empty list for no elements.
  const MapList& Identity(const Shape& shape) {
    const auto [position, is_new] = identities_.try_emplace(&shape.untyped());
    MapList& list = position->second;
    const bool is_known = !is_new && !IsDisabled(MemoTable::kForwardedArrays);
    if (is_known || shape.num_elements() == 0) return list;
    const mlir::AffineMap map =
        mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(shape.rank()), context_);
    MapList::Elements one(1);
    one.front().map = Simplify(IndexingMap::FromSizes(map, shape.sizes()));
    // Of a dimension without bound and one without elements.
    if (one.front().map.IsKnownEmpty()) return list;
    return list = MapList(std::move(one));
  }

  // Of an output array that is an array of an operand, unchanged: the identity, in both directions.
  OutputIndexing Forwarded(const Instruction& instruction, int64_t output_leaf,
                           const Shape& output) {
    const MapList& identity = Identity(output);
    OutputIndexing::Operands::Elements operands;
    if (!identity.empty()) {
      operands.push_back(
          OperandIndexing::Exact(*ForwardedOperand(instruction, output_leaf), identity));
    }
    return OutputIndexing(std::move(operands));
  }

  // Output arrays of the same sizes, propagated together.
  struct Propagated {
    Propagated(mlir::MLIRContext* context, const AnalysisOptions& options,
               PropagationMemory& memory, WrittenMaps& written, ModuleFacts& facts,
               const Instruction& instruction, llvm::ArrayRef<int64_t> leaves)
        : propagation(context, options, memory, facts.array_reads, facts.devices, instruction,
                      leaves, /*trace=*/nullptr),
          writer(context, options, written, propagation.accesses()) {}

    Propagation propagation;
    MapWriter writer;
  };

  // What is known of an output array and those with the same sizes. That of the last instruction
  // is memoized: queries come output by output and direction by direction.
  Propagated& PropagatedOf(const Instruction& instruction, int64_t output_leaf) {
    const Shape& shape = instruction.shape();
    const bool is_array = shape.num_array_leaves() == 1;
    if (&instruction != last_instruction_ || IsDisabled(MemoTable::kLastQuery)) {
      last_instruction_ = &instruction;
      last_groups_.clear();
      last_array_.propagated.reset();
      for (int64_t leaf = 0; !is_array && leaf < shape.num_array_leaves(); ++leaf) {
        last_groups_[shape.ArrayLeaf(leaf).sizes()].leaves.push_back(leaf);
      }
    }
    LeafGroup& group = is_array ? last_array_ : last_groups_[shape.ArrayLeaf(output_leaf).sizes()];
    if (!group.propagated) {
      group.propagated.emplace(context_, options_, memory_, written_,
                               FactsOf(instruction.parent().parent()), instruction, group.leaves);
    }
    return *group.propagated;
  }

  OutputIndexing ToParameters(const Instruction& instruction, int64_t output_leaf,
                              llvm::ArrayRef<const Instruction*> available) {
    ModuleFacts& facts = FactsOf(instruction.parent().parent());
    std::vector<const Instruction*> inputs(instruction.parent().parameters());
    inputs.insert(inputs.end(), available.begin(), available.end());
    const Propagation propagation(Propagation::ToParameters{}, context_, options_, memory_,
                                  facts.array_reads, facts.devices, instruction, output_leaf,
                                  inputs);
    return MapWriter(context_, options_, written_, propagation.accesses())
        .Write(output_leaf, MapDirection::kOutputToInput);
  }

  std::vector<TraceStep> Trace(const Instruction& instruction, int64_t output_leaf) {
    ModuleFacts& facts = FactsOf(instruction.parent().parent());
    PropagationMemory memory(context_, options_);
    indexing_analysis::Trace trace;
    const Propagation propagation(context_, options_, memory, facts.array_reads, facts.devices,
                                  instruction, output_leaf, &trace);
    return std::move(trace).TakeSteps();
  }

 private:
  struct LeafGroup {
    llvm::SmallVector<int64_t, 1> leaves;
    std::optional<Propagated> propagated;
  };

  bool IsDisabled(MemoTable table) const { return options_.disabled_memo_tables.IsDisabled(table); }

  ModuleFacts& FactsOf(const hlo::Module& module) {
    const auto [position, is_new] = modules_.try_emplace(&module, context_, options_, module);
    ModuleFacts& facts = position->second;
    if (!is_new && IsDisabled(MemoTable::kDeviceCounts)) facts.devices = CountDevices(module);
    return facts;
  }

  mlir::MLIRContext* context_;
  const AnalysisOptions& options_;
  llvm::DenseMap<const Shape*, MapList> identities_;
  PropagationMemory memory_;
  WrittenMaps written_;
  std::map<const hlo::Module*, ModuleFacts> modules_;
  const Instruction* last_instruction_ = nullptr;
  // By their sizes; the group of an output of one array is in a place of its own, so that nothing
  // is allocated for it.
  std::map<llvm::ArrayRef<int64_t>, LeafGroup> last_groups_;
  LeafGroup last_array_ = {{0}, std::nullopt};
};

IndexingAnalysis::IndexingAnalysis(mlir::MLIRContext* context, AnalysisOptions options)
    : context_(context), options_(options), cache_(std::make_unique<Cache>(context_, options_)) {}

IndexingAnalysis::~IndexingAnalysis() = default;

OutputIndexing IndexingAnalysis::OutputToInput(const Instruction& instruction,
                                               int64_t output_leaf) {
  return Indexing(instruction, output_leaf, MapDirection::kOutputToInput);
}

OutputIndexing IndexingAnalysis::InputToOutput(const Instruction& instruction,
                                               int64_t output_leaf) {
  return Indexing(instruction, output_leaf, MapDirection::kInputToOutput);
}

OutputIndexing IndexingAnalysis::OutputToParameters(const Instruction& instruction,
                                                    int64_t output_leaf,
                                                    llvm::ArrayRef<const Instruction*> available) {
  return cache_->ToParameters(instruction, output_leaf, available);
}

std::vector<TraceStep> IndexingAnalysis::TracePropagation(const Instruction& instruction,
                                                          int64_t output_leaf) {
  return cache_->Trace(instruction, output_leaf);
}

OutputIndexing IndexingAnalysis::Indexing(const Instruction& instruction, int64_t output_leaf,
                                          MapDirection direction) {
  const Forwarding forwarding = TraitsOf(instruction.opcode()).forwarding;
  const bool is_tuple =
      forwarding == Forwarding::kTuple || forwarding == Forwarding::kGetTupleElement;
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  if (instruction.operands().empty()) return {};
  // Where sizes differ, one of them is not known and the other is.
  if (is_tuple && IsForwardedWhole(instruction, output_leaf)) {
    return cache_->Forwarded(instruction, output_leaf, output);
  }
  InstructionClass* instruction_class = cache_->ClassOf(instruction, output_leaf);
  std::optional<OutputIndexing>* known =
      instruction_class == nullptr ? nullptr
                                   : &instruction_class->indexing[static_cast<size_t>(direction)];
  const Instruction* representative =
      instruction_class == nullptr ? nullptr : instruction_class->representative;
  if (known != nullptr && *known) {
    const bool is_other = representative != nullptr && representative != &instruction;
    return is_other ? Cache::RenameOperands(**known, *representative, instruction) : **known;
  }
  // Only what is found for the representative may refer to its operands.
  const Instruction& queried = representative != nullptr ? *representative : instruction;
  Cache::Propagated& propagated = cache_->PropagatedOf(queried, output_leaf);
  OutputIndexing result = propagated.writer.Write(output_leaf, direction);
  const bool is_shared = representative != nullptr || !propagated.propagation.depends_on_values();
  if (known != nullptr && is_shared) *known = result;
  return &queried == &instruction ? result : Cache::RenameOperands(result, queried, instruction);
}

}  // namespace hlo_indexing::indexing_analysis
