#include "indexing_analysis/analysis.h"

#include <deque>
#include <map>
#include <optional>
#include <type_traits>

#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/device_groups.h"
#include "indexing_analysis/path_follower.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/Support/Allocator.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Attribute;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

void Profile(int64_t value, llvm::FoldingSetNodeID& node_id) { node_id.AddInteger(value); }

void Profile(const hlo::SliceRange& range, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {range.start, range.limit, range.stride}) node_id.AddInteger(value);
}

void Profile(const hlo::PaddingDimension& padding, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {padding.low, padding.high, padding.interior}) {
    node_id.AddInteger(value);
  }
}

void Profile(const hlo::WindowDimension& window, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value :
       {window.size, window.stride, window.padding_low, window.padding_high, window.base_dilation,
        window.window_dilation, int64_t{window.reversal ? 1 : 0}}) {
    node_id.AddInteger(value);
  }
}

template <typename T>
void Profile(llvm::ArrayRef<T> values, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(values.size()));
  for (const T& value : values) Profile(value, node_id);
}

void Profile(const hlo::ConvolutionDimensions& labels, llvm::FoldingSetNodeID& node_id) {
  for (const llvm::StringRef text : {labels.input, labels.kernel, labels.output}) {
    node_id.AddString(text);
  }
}

void Profile(const hlo::ReplicaGroups& groups, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(groups.form));
  Profile(groups.groups, node_id);
  Profile(groups.dimensions, node_id);
  Profile(groups.reshape, node_id);
  Profile(groups.permutation, node_id);
  node_id.AddString(groups.mesh);
}

// Computations that say what is read, not only how values are combined.
bool IsReadThrough(const Instruction& instruction) {
  return IsFollowed(instruction) || instruction.opcode() == Opcode::kScan;
}

template <typename T>
concept ReadByRules = std::is_same_v<T, int64_t> || std::is_same_v<T, llvm::ArrayRef<int64_t>> ||
                      std::is_same_v<T, llvm::ArrayRef<llvm::ArrayRef<int64_t>>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::SliceRange>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::PaddingDimension>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::WindowDimension>>;

// The values that rules look at; of other attributes, only whether they are there.
template <typename T>
void ProfileValue(const T& value, llvm::FoldingSetNodeID& node_id) {
  if constexpr (std::is_same_v<T, bool>) {
    node_id.AddBoolean(value);
  } else if constexpr (std::is_same_v<T, hlo::Keyword>) {
    node_id.AddString(value.text);
  } else if constexpr (std::is_same_v<T, const hlo::ConvolutionDimensions*> ||
                       std::is_same_v<T, const hlo::ReplicaGroups*>) {
    Profile(*value, node_id);
  } else if constexpr (ReadByRules<T>) {
    Profile(value, node_id);
  }
}

void ProfileAttribute(const Instruction& instruction, const Attribute& attribute,
                      llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(attribute.name));
  // The number of a channel says nothing, only that there is one.
  if (attribute.name == hlo::AttributeName::kChannelId) return;
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, const hlo::Computation*>) {
          if (IsReadThrough(instruction)) node_id.AddPointer(value);
        } else if constexpr (std::is_same_v<T, llvm::ArrayRef<const hlo::Computation*>>) {
          if (!IsReadThrough(instruction)) return;
          for (const hlo::Computation* computation : value) node_id.AddPointer(computation);
        } else {
          ProfileValue(value, node_id);
        }
      },
      attribute.value);
}

// Attributes that say nothing about what is read.
bool IsIrrelevant(const Attribute& attribute) {
  return std::holds_alternative<hlo::RawText>(attribute.value);
}

// Whether what is read depends on how many devices run the module.
bool IsCollective(const Instruction& instruction) {
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  return llvm::is_contained(
      {read_rules::AllReduce, read_rules::AllGather, read_rules::ReduceScatter,
       read_rules::AllToAll, read_rules::CollectiveBroadcast, read_rules::CollectivePermute,
       read_rules::RaggedAllToAll},
      rule);
}

// What two instructions must share to read in the same way.
void ProfileInstruction(const Instruction& instruction, int64_t output_leaf,
                        llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(output_leaf);
  const bool is_call =
      instruction.opcode() == Opcode::kFusion || instruction.opcode() == Opcode::kCall;
  if (is_call) {
    node_id.AddPointer(FollowedCallee(instruction));
    return;
  }
  const ReadRule rule = ReadRuleOf(instruction.opcode());
  node_id.AddPointer(reinterpret_cast<const void*>(rule));
  // These rules tell opcodes apart.
  const bool looks_at_opcode = rule == nullptr || rule == read_rules::CopyStart ||
                               rule == read_rules::AllGather ||
                               rule == read_rules::CollectivePermute;
  if (looks_at_opcode) node_id.AddInteger(static_cast<unsigned>(instruction.opcode()));
  if (IsCollective(instruction)) node_id.AddPointer(&instruction.parent().parent());
  node_id.AddPointer(&instruction.shape());
  for (const Instruction* operand : instruction.operands()) node_id.AddPointer(&operand->shape());
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsIrrelevant(attribute)) ProfileAttribute(instruction, attribute, node_id);
  }
}

// Whether equal instructions read in the same way and are worth being looked for: not where values
// say what is read, nor where a rule of the user's may look at anything; loops and conditionals
// have computations of their own.
bool IsShared(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kWhile:
      return false;
    default:
      return !ReadsRuntimeValues(instruction.opcode());
  }
}

// The arrays of an output by their sizes.
class LeafGroups {
 public:
  explicit LeafGroups(const Shape& shape) {
    std::map<llvm::ArrayRef<int64_t>, size_t> numbers;
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const llvm::ArrayRef<int64_t> sizes = shape.ArrayLeaf(leaf).sizes();
      const size_t number = numbers.try_emplace(sizes, groups_.size()).first->second;
      if (number == groups_.size()) groups_.emplace_back();
      groups_[number].push_back(leaf);
      group_of_leaf_.push_back(number);
    }
  }

  size_t size() const { return groups_.size(); }
  size_t GroupOf(int64_t leaf) const { return group_of_leaf_[static_cast<size_t>(leaf)]; }
  llvm::ArrayRef<int64_t> Leaves(size_t group) const { return groups_[group]; }

 private:
  std::vector<llvm::SmallVector<int64_t, 1>> groups_;
  std::vector<size_t> group_of_leaf_;
};

// Remembers the one array that tuple and get-tuple-element pass on.
class PassThroughSink : public ReadSink {
 public:
  explicit PassThroughSink(OperandIndexing& indexing) : indexing_(indexing) {}

  void ReadSameIndex(size_t operand, int64_t leaf) override {
    indexing_.operand = operand;
    indexing_.leaf = leaf;
  }
  void Read(size_t, int64_t, Access) override {}
  void ReadUnknown(std::string) override {}
  Sum RuntimeValue(const Instruction&, llvm::ArrayRef<Sum>, Interval bounds, Access&) override {
    return simplifier::Constant(bounds.lower);
  }
  Sum OwnDevice(Access&) override { return simplifier::Constant(0); }
  const DeviceCounts& devices() override { return devices_; }
  void Compose(const IndexingMap&, Access&) override {}
  const CustomCallRegistry* custom_calls() override { return nullptr; }
  mlir::MLIRContext* mlir_context() override { return nullptr; }

 private:
  OperandIndexing& indexing_;
  DeviceCounts devices_;
};

}  // namespace

// What has been found before.
class IndexingAnalysis::Cache {
 public:
  Cache(mlir::MLIRContext* context, const AnalysisOptions& options)
      : context_(context), options_(options) {}

  // The result for instructions with this profile, or null; `position` is where to add it.
  const OutputIndexing* Find(const llvm::FoldingSetNodeID& node_id, void*& position) {
    const Node* node = nodes_.FindNodeOrInsertPos(node_id, position);
    return node == nullptr ? nullptr : &node->indexing;
  }

  void Add(const llvm::FoldingSetNodeID& node_id, void* position, const OutputIndexing& indexing) {
    Node& node = storage_.emplace_back();
    node.id = node_id.Intern(allocator_);
    node.indexing = indexing;
    nodes_.InsertNode(&node, position);
  }

  // The identity on an array of that shape, as the list of one map; an empty list for no elements.
  const MapList& Identity(const Shape& shape) {
    MapList& list = identities_[&shape];
    if (list != nullptr) return list;
    std::vector<IndexingMap> maps;
    if (shape.num_elements() != 0) {
      const mlir::AffineMap map =
          mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(shape.rank()), context_);
      maps.push_back(Simplify(IndexingMap::FromSizes(map, shape.sizes())));
    }
    list = std::make_shared<const std::vector<IndexingMap>>(std::move(maps));
    return list;
  }

  // The follower of an output array and those with the same sizes. That of the last instruction is
  // kept: who asks for one output and direction asks for the others.
  PathFollower& Follower(const Instruction& instruction, int64_t output_leaf) {
    if (&instruction != last_instruction_) {
      followers_.clear();
      last_instruction_ = &instruction;
      last_groups_.emplace(instruction.shape());
      followers_.resize(last_groups_->size());
    }
    const size_t group = last_groups_->GroupOf(output_leaf);
    if (followers_[group] == nullptr) {
      ModuleFacts& facts = FactsOf(instruction.parent().parent());
      followers_[group] =
          std::make_unique<PathFollower>(context_, options_, facts.array_reads, simple_maps_,
                                         facts.devices, instruction, last_groups_->Leaves(group));
    }
    return *followers_[group];
  }

 private:
  struct Node : llvm::FoldingSetNode {
    llvm::FoldingSetNodeIDRef id;
    OutputIndexing indexing;
    void Profile(llvm::FoldingSetNodeID& node_id) const { node_id = llvm::FoldingSetNodeID(id); }
  };

  struct ModuleFacts {
    DeviceCounts devices;
    ArrayReadsFinder array_reads;
  };

  ModuleFacts& FactsOf(const hlo::Module& module) {
    const auto known = modules_.find(&module);
    if (known != modules_.end()) return known->second;
    const DeviceCounts devices = CountDevices(module);
    ModuleFacts facts = {devices, ArrayReadsFinder(context_, options_, devices)};
    return modules_.try_emplace(&module, std::move(facts)).first->second;
  }

  mlir::MLIRContext* context_;
  const AnalysisOptions& options_;
  llvm::BumpPtrAllocator allocator_;
  std::deque<Node> storage_;
  llvm::FoldingSet<Node> nodes_;
  llvm::DenseMap<const Shape*, MapList> identities_;
  SimpleMaps simple_maps_;
  std::map<const hlo::Module*, ModuleFacts> modules_;
  const Instruction* last_instruction_ = nullptr;
  std::optional<LeafGroups> last_groups_;
  std::vector<std::unique_ptr<PathFollower>> followers_;
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
  llvm::FoldingSetNodeID node_id;
  node_id.AddInteger(static_cast<unsigned>(direction));
  ProfileInstruction(instruction, output_leaf, node_id);
  const bool is_shared = IsShared(instruction);
  void* position = nullptr;
  if (is_shared) {
    if (const OutputIndexing* known = cache_->Find(node_id, position)) return *known;
  }
  PathFollower& follower = cache_->Follower(instruction, output_leaf);
  OutputIndexing result = follower.Report(output_leaf, direction == Direction::kOutputToInput
                                                           ? MapDirection::kOutputToInput
                                                           : MapDirection::kInputToOutput);
  if (is_shared && !follower.depends_on_values()) cache_->Add(node_id, position, result);
  return result;
}

OutputIndexing IndexingAnalysis::PassThrough(const Instruction& instruction, int64_t output_leaf,
                                             const Shape& output) {
  OutputIndexing result;
  OperandIndexing indexing;
  indexing.maps = cache_->Identity(output);
  if (indexing.maps->empty()) return result;
  PassThroughSink sink(indexing);
  DigitContext digits;
  const Access access;
  ReadContext context(instruction, output_leaf, access, digits, sink);
  ReadRuleOf(instruction.opcode())(context);
  result.operands.push_back(std::move(indexing));
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
