#include "indexing_analysis/queries/utilization.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/queries/moving_boxes.h"
#include "indexing_analysis/queries/reached_elements.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "indexing_analysis/rules/forwarding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;

constexpr char kRuntime[] = "depends on values known at run time";
// Beyond that, remembered answers for maps are dropped.
constexpr size_t kMaxRemembered = size_t{1} << 16;

Image::Count Zero() { return {DynamicAPInt(0), DynamicAPInt(0)}; }

void AddTo(Image::Count& sum, const Image::Count& count) {
  sum.lower += count.lower;
  sum.upper += count.upper;
}

bool HasRuntime(const IndexingMap& map) { return map.num_runtime() != 0; }

// Whether it is known how often an array is read: the elements of f32[?] cannot be counted.
bool HasBounds(const IndexingMap& map) {
  const auto has_bounds = [](const Variable& variable) { return variable.bounds.IsFinite(); };
  return llvm::all_of(map.dimensions(), has_bounds) && llvm::all_of(map.ranges(), has_bounds);
}

void WriteCount(const Image::Count& count, llvm::raw_ostream& out) {
  out << count.lower;
  if (!count.IsExact()) out << " to " << count.upper;
}

// The maps that some outputs read an array by.
struct Reads {
  // Each as often as there are outputs with it.
  std::vector<IndexingMap> exact;
  std::vector<IndexingMap> superset;
  bool is_unknown = false;
  // Why it is not exact.
  std::string reason;

  void Add(const OperandIndexing& indexing) {
    if (indexing.exactness() != Exactness::kExact && reason.empty()) reason = indexing.reason();
    is_unknown |= indexing.exactness() == Exactness::kUnknown;
    std::vector<IndexingMap>& maps = indexing.exactness() == Exactness::kExact ? exact : superset;
    for (const OperandMap& map : indexing.maps()) {
      if (map.map.IsKnownEmpty()) continue;
      if (!HasBounds(map.map)) {
        is_unknown = true;
        if (reason.empty()) reason = WhyNoImage(map.map);
      } else {
        maps.push_back(map.map);
      }
    }
  }
};

std::vector<IndexingMap> Different(llvm::ArrayRef<IndexingMap> maps) {
  struct Hash {
    size_t operator()(const IndexingMap& map) const { return hash_value(map); }
  };
  std::unordered_map<IndexingMap, size_t, Hash> seen;
  std::vector<IndexingMap> different;
  for (const IndexingMap& map : maps) {
    if (seen.try_emplace(map, 0).second) different.push_back(map);
  }
  return different;
}

std::vector<OperandArray> ArraysOf(llvm::ArrayRef<const hlo::Instruction*> inputs) {
  const OperandArrays numbered(inputs);
  std::vector<OperandArray> arrays;
  for (int64_t i = 0; i < numbered.size(); ++i) arrays.push_back(numbered[i]);
  return arrays;
}

// All arrays of operands; of a get-tuple-element those of its element, which are its outputs.
std::vector<OperandArray> ArraysAskedFor(const hlo::Instruction& instruction) {
  if (instruction.opcode() != hlo::Opcode::kGetTupleElement) {
    return ArraysOf(instruction.operands());
  }
  std::vector<OperandArray> arrays;
  for (int64_t leaf = 0; leaf < instruction.shape().num_array_leaves(); ++leaf) {
    if (const auto array = ForwardedOperand(instruction, leaf)) arrays.push_back(*array);
  }
  return arrays;
}

}  // namespace

class UtilizationAnalysis::Counter {
 public:
  Counter(IndexingAnalysis& analysis, const UtilizationOptions& options)
      : analysis_(analysis),
        options_(options),
        limits_{options.max_elements_with_bits, options.max_work, options.max_boxes},
        reached_(limits_) {}

  IndexingAnalysis& analysis() { return analysis_; }

  // Of the arrays of `inputs` that are read, by array; all of them if something is unknown. `ask`
  // answers for an output.
  static std::map<OperandArray, Reads> ReadsOf(llvm::ArrayRef<const hlo::Instruction*> inputs,
                                               llvm::function_ref<OutputIndexing(int64_t)> ask,
                                               int64_t first_output, int64_t end_output) {
    std::map<OperandArray, Reads> reads;
    for (int64_t output = first_output; output < end_output; ++output) {
      const OutputIndexing indexing = ask(output);
      for (const OperandIndexing& operand : indexing.operands()) {
        reads[operand.array()].Add(operand);
      }
      if (!indexing.IsUnknown()) continue;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const int64_t count = inputs[i]->shape().num_array_leaves();
        for (int64_t leaf = 0; leaf < count; ++leaf) {
          Reads& of_array = reads[{i, leaf}];
          of_array.is_unknown = true;
          if (of_array.reason.empty()) of_array.reason = indexing.unknown_reason();
        }
      }
    }
    return reads;
  }

  // Of these arrays of the inputs, read or not, by all outputs.
  std::vector<OperandUtilization> Together(llvm::ArrayRef<const hlo::Instruction*> inputs,
                                           llvm::ArrayRef<OperandArray> arrays,
                                           llvm::function_ref<OutputIndexing(int64_t)> ask,
                                           int64_t num_outputs) {
    const std::map<OperandArray, Reads> reads = ReadsOf(inputs, ask, 0, num_outputs);
    std::vector<OperandUtilization> result;
    for (const OperandArray& array : arrays) {
      const auto found = reads.find(array);
      result.push_back(Utilization(*inputs[array.operand], array,
                                   found == reads.end() ? Reads() : found->second));
    }
    return result;
  }

  // Of an array of `input`.
  OperandUtilization Utilization(const hlo::Instruction& input, const OperandArray& array,
                                 const Reads& reads) {
    OperandUtilization result;
    result.array = array;
    result.shape = &input.shape().ArrayLeaf(array.leaf);
    if (result.shape->HasUnboundedDimension()) {
      result.elements_read = Zero();
      if (reads.exact.empty() && reads.superset.empty() && !reads.is_unknown) return result;
      result.elements_read.upper = DynamicAPInt(support::kInt64Max);
      result.reason = UnboundedReason(*result.shape);
      return result;
    }
    const Found exact = Count(reads.exact, result.shape->sizes());
    if (reads.is_unknown) {
      result.elements_read = {exact.elements.lower, result.Elements()};
      result.reason = reads.reason;
    } else if (reads.superset.empty()) {
      result.elements_read = exact.elements;
      result.reads = exact.reads;
      result.unread = exact.unread;
      result.reason = exact.reason;
    } else {
      std::vector<IndexingMap> all = reads.exact;
      llvm::append_range(all, reads.superset);
      const Found most = Count(all, result.shape->sizes());
      result.elements_read = {exact.elements.lower, most.elements.upper};
      result.reads = {exact.reads.lower, most.reads.upper};
      result.unread = most.unread;
      result.reason = reads.reason;
    }
    if (result.IsExact()) result.reason.clear();
    // Whatever else is read.
    if (result.elements_read.lower == result.Elements()) result.unread.emplace();
    return result;
  }

 private:
  struct Found {
    Image::Count elements = Zero();
    Image::Count reads = Zero();
    // By no value that is known at run time.
    std::optional<std::vector<StridedBox>> unread;
    std::string reason;
  };

  Found Count(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> sizes) {
    const std::vector<IndexingMap> different = Different(maps);
    ReachedElements most = reached_.Count(different, sizes);
    Found found;
    found.elements = most.count;
    found.unread = std::move(most.unreached);
    found.reason = std::move(most.reason);
    if (llvm::none_of(different, HasRuntime)) {
      for (const IndexingMap& map : maps) AddTo(found.reads, reached_.ImageOfMap(map).points);
      return found;
    }
    if (const auto reach = ReachOfMovingBoxes(maps)) {
      found.elements = reach->elements;
      found.reads = reach->points;
      found.reason = found.elements.IsExact() ? "" : kRuntime;
      return found;
    }
    if (TryChoices(maps, sizes, found)) return found;
    std::vector<IndexingMap> fixed;
    DynamicAPInt fewest(0);
    DynamicAPInt most_of_choice(0);
    for (const IndexingMap& map : different) {
      if (!HasRuntime(map)) {
        fixed.push_back(map);
        continue;
      }
      const ReachPerChoice& reach = ReachOf(map);
      fewest = std::max(fewest, reach.elements.lower);
      most_of_choice += reach.elements.upper;
    }
    for (const IndexingMap& map : maps) AddTo(found.reads, ReachOf(map).points);
    const Image::Count of_fixed = reached_.Count(fixed, sizes).count;
    found.elements = {std::max(of_fixed.lower, fewest),
                      std::min(found.elements.upper, of_fixed.upper + most_of_choice)};
    if (!found.elements.IsExact()) found.reason = kRuntime;
    return found;
  }

  // Tries all choices of values known at run time, if they are few.
  bool TryChoices(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> sizes, Found& found) {
    const auto choices = UniformChoices::Of(maps, options_.max_runtime_choices);
    if (!choices.has_value()) return false;
    // Maps of a choice do not come again.
    ReachCounter counter(limits_);
    std::optional<Image::Count> elements;
    std::optional<Image::Count> reads;
    const auto join = [](std::optional<Image::Count>& range, const Image::Count& count) {
      if (!range.has_value()) range = count;
      range->lower = std::min(range->lower, count.lower);
      range->upper = std::max(range->upper, count.upper);
    };
    choices->ForEach([&](llvm::ArrayRef<IndexingMap> of_choice) {
      join(elements, counter.Count(of_choice, sizes).count);
      Image::Count points = Zero();
      for (const IndexingMap& map : of_choice) AddTo(points, counter.ImageOfMap(map).points);
      join(reads, points);
    });
    found.elements = *elements;
    found.reads = *reads;
    if (!found.elements.IsExact()) found.reason = kRuntime;
    return true;
  }

  const ReachPerChoice& ReachOf(const IndexingMap& map) {
    const auto known = reach_.find(map);
    if (known != reach_.end()) return known->second;
    if (reach_.size() > kMaxRemembered) reach_.clear();
    if (!HasRuntime(map)) {
      const Image& image = reached_.ImageOfMap(map);
      return reach_.emplace(map, ReachPerChoice{image.size, image.points}).first->second;
    }
    return reach_.emplace(map, ReachForAnyChoice(map)).first->second;
  }

  struct MapHash {
    size_t operator()(const IndexingMap& map) const { return hash_value(map); }
  };

  IndexingAnalysis& analysis_;
  UtilizationOptions options_;
  ReachLimits limits_;
  ReachCounter reached_;
  std::unordered_map<IndexingMap, ReachPerChoice, MapHash> reach_;
};

UtilizationAnalysis::UtilizationAnalysis(IndexingAnalysis& analysis,
                                         const UtilizationOptions& options)
    : counter_(std::make_unique<Counter>(analysis, options)) {}

UtilizationAnalysis::~UtilizationAnalysis() = default;

std::vector<OperandUtilization> UtilizationAnalysis::OfInstruction(
    const hlo::Instruction& instruction) {
  const auto ask = [&](int64_t output) {
    return counter_->analysis().OutputToInput(instruction, output);
  };
  return counter_->Together(instruction.operands(), ArraysAskedFor(instruction), ask,
                            instruction.shape().num_array_leaves());
}

std::vector<OperandUtilization> UtilizationAnalysis::OfComputation(
    const hlo::Computation& computation) {
  const hlo::Instruction& root = computation.root();
  const auto ask = [&](int64_t output) {
    return counter_->analysis().OutputToParameters(root, output, {});
  };
  return counter_->Together(computation.parameters(), ArraysOf(computation.parameters()), ask,
                            root.shape().num_array_leaves());
}

std::vector<OperandUtilization> UtilizationAnalysis::OfOutput(const hlo::Instruction& instruction,
                                                              int64_t output_leaf) {
  const auto ask = [&](int64_t output) {
    return counter_->analysis().OutputToInput(instruction, output);
  };
  std::vector<OperandUtilization> result;
  for (const auto& [array, reads] :
       Counter::ReadsOf(instruction.operands(), ask, output_leaf, output_leaf + 1)) {
    result.push_back(counter_->Utilization(instruction.operand(array.operand), array, reads));
  }
  return result;
}

bool OperandUtilization::UnreadDependsOnRuntime() const {
  return IsExact() && unread.has_value() &&
         elements_read.lower + NumElements(*unread) != Elements();
}

Image::Count OperandUtilization::Bytes() const {
  const DynamicAPInt bits(shape->StorageBits());
  const auto bytes = [&](const DynamicAPInt& elements) {
    return ceilDiv(elements * bits, DynamicAPInt(8));
  };
  return {bytes(elements_read.lower), bytes(elements_read.upper)};
}

void OperandUtilization::Print(llvm::raw_ostream& out) const {
  out << array << ": ";
  WriteCount(elements_read, out);
  const Image::Count bytes = Bytes();
  if (!shape->HasUnboundedDimension()) {
    out << " of " << Elements() << " elements";
    out << ", ";
    WriteCount(bytes, out);
    out << " bytes";
  }
  if (reads.has_value()) {
    out << ", ";
    WriteCount(*reads, out);
    out << " reads";
  }
  if (!reason.empty()) out << "; " << reason;
  if (!unread.has_value() || unread->empty()) return;
  out << "\n  not read: ";
  for (size_t i = 0; i < unread->size(); ++i) out << (i == 0 ? "" : " ") << (*unread)[i];
}

}  // namespace hlo_indexing::indexing_analysis
