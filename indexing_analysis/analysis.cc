#include "indexing_analysis/analysis.h"

#include <deque>
#include <optional>
#include <type_traits>

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
using MapList = std::shared_ptr<const std::vector<IndexingMap>>;

void Profile(int64_t value, llvm::FoldingSetNodeID& node_id) { node_id.AddInteger(value); }

void Profile(const hlo::SliceRange& range, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {range.start, range.limit, range.stride}) node_id.AddInteger(value);
}

void Profile(const hlo::PaddingDimension& padding, llvm::FoldingSetNodeID& node_id) {
  for (const int64_t value : {padding.low, padding.high, padding.interior}) {
    node_id.AddInteger(value);
  }
}

template <typename T>
void Profile(llvm::ArrayRef<T> values, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(values.size()));
  for (const T& value : values) Profile(value, node_id);
}

// The values that rules look at; of other attributes, only whether they are there.
template <typename T>
concept ReadByRules = std::is_same_v<T, int64_t> || std::is_same_v<T, llvm::ArrayRef<int64_t>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::SliceRange>> ||
                      std::is_same_v<T, llvm::ArrayRef<hlo::PaddingDimension>>;

void ProfileAttribute(const Attribute& attribute, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(static_cast<unsigned>(attribute.name));
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (ReadByRules<T>) Profile(value, node_id);
      },
      attribute.value);
}

// Attributes that say nothing about what is read.
bool IsIrrelevant(const Attribute& attribute) {
  return std::holds_alternative<hlo::RawText>(attribute.value) ||
         attribute.name == hlo::AttributeName::kChannelId;
}

// What two instructions must share to read in the same way.
void ProfileInstruction(const Instruction& instruction, int64_t output_leaf,
                        llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(output_leaf);
  if (const hlo::Computation* callee = FollowedCallee(instruction)) {
    node_id.AddPointer(callee);
    return;
  }
  node_id.AddPointer(reinterpret_cast<const void*>(ReadRuleOf(instruction.opcode())));
  node_id.AddPointer(&instruction.shape());
  for (const Instruction* operand : instruction.operands()) node_id.AddPointer(&operand->shape());
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsIrrelevant(attribute)) ProfileAttribute(attribute, node_id);
  }
}

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

 private:
  OperandIndexing& indexing_;
};

}  // namespace

// What has been found before.
class IndexingAnalysis::Cache {
 public:
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
  const MapList& Identity(const Shape& shape, mlir::MLIRContext* context) {
    MapList& list = identities_[&shape];
    if (list != nullptr) return list;
    std::vector<IndexingMap> maps;
    if (shape.num_elements() != 0) {
      const mlir::AffineMap map =
          mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(shape.rank()), context);
      maps.push_back(Simplify(IndexingMap::FromSizes(map, shape.sizes())));
    }
    list = std::make_shared<const std::vector<IndexingMap>>(std::move(maps));
    return list;
  }

  ArrayReadsMemo& array_reads() { return array_reads_; }

 private:
  struct Node : llvm::FoldingSetNode {
    llvm::FoldingSetNodeIDRef id;
    OutputIndexing indexing;
    void Profile(llvm::FoldingSetNodeID& node_id) const { node_id = llvm::FoldingSetNodeID(id); }
  };

  llvm::BumpPtrAllocator allocator_;
  std::deque<Node> storage_;
  llvm::FoldingSet<Node> nodes_;
  llvm::DenseMap<const Shape*, MapList> identities_;
  ArrayReadsMemo array_reads_;
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
    : context_(context), options_(options), cache_(std::make_unique<Cache>()) {}

IndexingAnalysis::~IndexingAnalysis() = default;

OutputIndexing IndexingAnalysis::OutputToInput(const Instruction& instruction,
                                               int64_t output_leaf) {
  const bool is_tuple =
      instruction.opcode() == Opcode::kTuple || instruction.opcode() == Opcode::kGetTupleElement;
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  if (is_tuple && !output.HasUnboundedDimension()) {
    return PassThrough(instruction, output_leaf, output);
  }
  llvm::FoldingSetNodeID node_id;
  ProfileInstruction(instruction, output_leaf, node_id);
  const bool is_shared = !ReadsRuntimeValues(instruction.opcode());
  void* position = nullptr;
  if (is_shared) {
    if (const OutputIndexing* known = cache_->Find(node_id, position)) return *known;
  }
  PathFollower follower(context_, options_, cache_->array_reads());
  OutputIndexing result = follower.Run(instruction, output_leaf);
  if (is_shared && !follower.depends_on_values()) cache_->Add(node_id, position, result);
  return result;
}

OutputIndexing IndexingAnalysis::PassThrough(const Instruction& instruction, int64_t output_leaf,
                                             const Shape& output) {
  OutputIndexing result;
  OperandIndexing indexing;
  indexing.maps = cache_->Identity(output, context_);
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
