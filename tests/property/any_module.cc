#include "tests/property/any_module.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "support/checked_math.h"
#include "tests/property/random_opcode.h"
#include "tests/property/relation_check.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapDirection;
using indexing_analysis::OutputIndexing;

constexpr int64_t kMostElements = 200;
// Points of the maps of one output that are tried one by one.
constexpr int64_t kMostPoints = 20'000;

bool IsSmall(const Shape& shape) {
  if (shape.num_array_leaves() > 8) return false;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const Shape& array = shape.ArrayLeaf(leaf);
    if (array.HasUnboundedDimension() || array.num_elements() > kMostElements) return false;
  }
  return true;
}

// Values in the bounds, or nothing if there are none.
std::optional<int64_t> Sample(Interval bounds, Random& random) {
  if (bounds.IsEmpty()) return std::nullopt;
  if (bounds.upper == Interval::kPlusInfinity) bounds.upper = bounds.lower + 1'000'000;
  // The ends are where mistakes show.
  if (random.OneIn(4)) return bounds.lower;
  if (random.OneIn(3)) return bounds.upper;
  return random.Between(bounds.lower, bounds.upper);
}

// Whether a few random points of the domain give an index of the array.
std::string CheckInside(const IndexingMap& map, const Shape& array, Random& random) {
  if (const absl::Status status = map.Verify(); !status.ok()) {
    return "does not verify: " + map.ToString() + ": " + std::string(status.message());
  }
  if (map.IsKnownEmpty()) return "";
  if (map.affine_map().getNumResults() != array.sizes().size()) {
    return "has another rank than " + array.ToString() + ": " + map.ToString();
  }
  for (int attempt = 0; attempt < 8; ++attempt) {
    llvm::SmallVector<int64_t> dimensions;
    llvm::SmallVector<int64_t> symbols;
    bool has_point = true;
    const auto add = [&](Interval bounds, llvm::SmallVectorImpl<int64_t>& values) {
      const std::optional<int64_t> value = Sample(bounds, random);
      has_point = has_point && value.has_value();
      values.push_back(value.value_or(0));
    };
    for (const auto& variable : map.dimensions()) add(variable.bounds, dimensions);
    for (const auto& variable : map.ranges()) add(variable.bounds, symbols);
    for (const auto& variable : map.runtime()) add(variable.bounds, symbols);
    if (!has_point) return "";
    if (!map.DomainContains(dimensions, symbols)) continue;
    const auto result = map.Evaluate(dimensions, symbols);
    if (!result) continue;
    for (size_t i = 0; i < result->size(); ++i) {
      const int64_t size = array.sizes()[i];
      if ((*result)[i] >= 0 && (size == hlo::kUnboundedSize || (*result)[i] < size)) continue;
      return "leaves " + array.ToString() + ": " + map.ToString();
    }
  }
  return "";
}

// How many points the maps have, with their range variables, for each element.
int64_t PointsOf(const IndexingMap& map) {
  std::optional<int64_t> points = 1;
  const auto times = [&points](Interval bounds) {
    const auto size = support::CheckedSub(bounds.upper, bounds.lower);
    const auto count = size ? support::CheckedAdd(*size, 1) : std::nullopt;
    points =
        points && count ? support::CheckedMul(*points, std::max<int64_t>(*count, 1)) : std::nullopt;
  };
  for (const auto& variable : map.dimensions()) times(variable.bounds);
  for (const auto& variable : map.ranges()) times(variable.bounds);
  return points.value_or(INT64_MAX);
}

// Looks at every answer about an instruction.
class InstructionCheck {
 public:
  InstructionCheck(const Instruction& instruction, IndexingAnalysis& analysis, Random& random)
      : instruction_(instruction), analysis_(analysis), random_(random) {}

  std::string Run() {
    if (instruction_.shape().num_array_leaves() > 64) return "";
    for (int64_t leaf = 0; leaf < instruction_.shape().num_array_leaves(); ++leaf) {
      for (const MapDirection direction :
           {MapDirection::kOutputToInput, MapDirection::kInputToOutput}) {
        const std::string error = CheckOutput(leaf, direction);
        if (!error.empty()) {
          return instruction_.name().str() + ", " + MapDirectionName(direction).str() +
                 ", output " + std::to_string(leaf) + ": " + error;
        }
      }
    }
    return "";
  }
  // Whether all points of all maps can be tried.
  bool has_few_points() const { return has_few_points_; }

 private:
  std::string CheckOutput(int64_t leaf, MapDirection direction) {
    const bool from_output = direction == MapDirection::kOutputToInput;
    const OutputIndexing indexing = from_output ? analysis_.OutputToInput(instruction_, leaf)
                                                : analysis_.InputToOutput(instruction_, leaf);
    for (const auto& operand : indexing.operands()) {
      if (operand.operand() >= instruction_.operands().size()) return "there is no such operand";
      const Shape& of_operand = instruction_.operand(operand.operand()).shape();
      if (operand.leaf() >= of_operand.num_array_leaves()) return "there is no such array";
      const Shape& array =
          from_output ? of_operand.ArrayLeaf(operand.leaf()) : instruction_.shape().ArrayLeaf(leaf);
      for (const auto& [map, replica_map] : operand.maps()) {
        const std::string error = CheckInside(map, array, random_);
        if (!error.empty()) return error;
        has_few_points_ = has_few_points_ && PointsOf(map) <= kMostPoints;
      }
    }
    return "";
  }

  const Instruction& instruction_;
  IndexingAnalysis& analysis_;
  Random& random_;
  bool has_few_points_ = true;
};

bool IsRunnable(const hlo::Module& module) {
  // What a custom call reads is not known.
  if (module.entry().root().opcode() == Opcode::kCustomCall) return false;
  for (const hlo::Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!IsSmall(instruction->shape())) return false;
    }
  }
  return true;
}

}  // namespace

std::string CheckAnyModule(const std::string& text, Random& random, mlir::MLIRContext* context,
                           AnyModuleCount& count) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok() || !hlo::Verify(**module).ok()) return "";
  ++count.accepted;
  const int64_t devices = DevicesOf(**module);
  IndexingAnalysis analysis(context);
  const Instruction& root = (*module)->entry().root();
  bool has_few_points = false;
  for (const Instruction* instruction : (*module)->entry().instructions()) {
    InstructionCheck check(*instruction, analysis, random);
    const std::string error = check.Run();
    if (!error.empty()) return error;
    if (instruction == &root) has_few_points = check.has_few_points();
  }
  if (!has_few_points || !IsRunnable(**module)) return "";
  RunValues values(**module, random, devices, /*max_steps=*/1'000'000);
  const auto run = TracedRun::Make(root, values);
  if (!run.ok()) return "";
  ++count.ran;
  RecordCount records;
  return CheckRelation(root, analysis, *run, values, records);
}

}  // namespace hlo_indexing::testing
