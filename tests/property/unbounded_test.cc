// Maps of modules in which sizes are replaced by `?`: where the size is what it was, they are the
// maps of the module as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/index_range.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/any_module.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_opcode.h"
#include "tests/property/relation_pairs.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::AnalysisOptions;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapDirection;
using indexing_analysis::OperandArray;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;
using indexing_analysis::Variable;

// Sizes of the generators are below.
constexpr int64_t kMostOfInfinitely = 40;
constexpr int64_t kMostPoints = 20'000;

// The sizes of arrays in the text, by place: of `f32[2,3]` 2 and 3.
std::map<size_t, std::string> SizesIn(const std::string& text) {
  std::map<size_t, std::string> sizes;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '[' || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0) continue;
    const size_t end = text.find(']', i);
    // A literal cannot have such a dimension.
    const size_t rest_of_line = text.find('\n', i) - i;
    if (text.substr(i, rest_of_line).find(" constant(") != std::string::npos) continue;
    for (size_t begin = i + 1; begin < end;) {
      const size_t comma = std::min(text.find(',', begin), end);
      const std::string size = text.substr(begin, comma - begin);
      if (!size.empty() && std::isdigit(static_cast<unsigned char>(size[0])) != 0) {
        sizes[begin] = size;
      }
      begin = comma + 1;
    }
  }
  return sizes;
}

// The module with one of its sizes unknown: everywhere, or in some places, for they agree.
std::string WithUnknownSize(std::string text, Random& random) {
  const std::map<size_t, std::string> sizes = SizesIn(text);
  std::vector<std::string> candidates;
  for (const auto& [place, size] : sizes) {
    if (size != "0") candidates.push_back(size);
  }
  if (candidates.empty()) return text;
  const std::string chosen = random.Pick(candidates);
  const bool everywhere = random.OneIn(2);
  // From the end, as places move.
  for (const auto& [place, size] : llvm::reverse(sizes)) {
    if (size != chosen || (!everywhere && random.OneIn(3))) continue;
    text.replace(place, chosen.size(), "?");
  }
  return text;
}

Interval Clipped(Interval bounds) {
  if (bounds.upper == Interval::kPlusInfinity) bounds.upper = bounds.lower + kMostOfInfinitely;
  return bounds;
}

// The map where the index that it is for lies in the array, and is not far from 0 where that has no
// bound.
IndexingMap Within(const IndexingMap& map, const Shape& array) {
  if (map.IsKnownEmpty()) return map;
  std::vector<Variable> dimensions(map.dimensions());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    Interval& bounds = dimensions[i].bounds;
    bounds = Clipped(bounds.Intersect(indexing_analysis::IndexRange(array.sizes()[i])));
  }
  std::vector<Variable> ranges(map.ranges());
  for (Variable& range : ranges) range.bounds = Clipped(range.bounds);
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& value : runtime) value.index = IndexingMap();
  return IndexingMap(map.affine_map(), dimensions, ranges, runtime, map.constraints());
}

bool IsInside(const std::vector<int64_t>& index, const Shape& array) {
  for (size_t i = 0; i < index.size(); ++i) {
    const int64_t size = array.sizes()[i];
    if (index[i] < 0 || (size != hlo::kUnboundedSize && index[i] >= size)) return false;
  }
  return true;
}

// The arrays that a record relates, with and without an unknown size.
struct Arrays {
  const Shape& bounded_from;
  const Shape& bounded_to;
  const Shape& unbounded_from;
  const Shape& unbounded_to;
};

// Whether all that a map reads lies in the array, whatever the size is that is not known.
bool IsInsideForAnySize(const IndexingMap& map, const Arrays& arrays) {
  const IndexingMap within = Within(map, arrays.unbounded_from);
  if (CountPoints(within) > kMostPoints) return true;
  Relation pairs;
  AddPairs(within, pairs);
  return std::all_of(pairs.begin(), pairs.end(),
                     [&](const auto& pair) { return IsInside(pair.second, arrays.unbounded_to); });
}

struct Compared {
  int64_t exact = 0;
  int64_t superset = 0;
  int64_t unknown = 0;
};

// What is wrong with a record of the module with unknown sizes, beside that of the module without.
std::string CompareRecords(const OperandIndexing& bounded, const OperandIndexing& unbounded,
                           const Arrays& arrays, Compared& compared) {
  if (unbounded.exactness() == Exactness::kUnknown) {
    ++compared.unknown;
    return "";
  }
  if (bounded.exactness() == Exactness::kUnknown) return "";
  Relation expected;
  Relation actual;
  for (const auto& map : bounded.maps()) {
    const IndexingMap within = Within(map.map, arrays.bounded_from);
    if (CountPoints(within) > kMostPoints) return "";
    AddPairs(within, expected);
  }
  for (const auto& map : unbounded.maps()) {
    const IndexingMap within = Within(map.map, arrays.bounded_from);
    if (CountPoints(within) > kMostPoints) return "";
    Relation pairs;
    AddPairs(within, pairs);
    for (const auto& pair : pairs) {
      if (IsInside(pair.second, arrays.bounded_to)) actual.insert(pair);
    }
    if (!IsInsideForAnySize(map.map, arrays)) return map.map.ToString() + " leaves the array";
  }
  const bool is_exact = unbounded.exactness() == Exactness::kExact;
  ++(is_exact ? compared.exact : compared.superset);
  const auto describe = [](const OperandIndexing& indexing) {
    std::string text;
    for (const auto& map : indexing.maps()) text += "\n  " + map.map.ToString();
    return text;
  };
  const bool is_subset =
      std::includes(expected.begin(), expected.end(), actual.begin(), actual.end());
  const bool is_superset =
      std::includes(actual.begin(), actual.end(), expected.begin(), expected.end());
  const bool misses = bounded.exactness() == Exactness::kExact && !is_superset;
  if (!misses && (!is_exact || is_subset)) return "";
  return "with sizes:" + describe(bounded) + "\nwithout:" + describe(unbounded);
}

// The same of all records of an instruction.
std::string CompareInstructions(const Instruction& bounded, const Instruction& unbounded,
                                IndexingAnalysis& analysis, Compared& compared) {
  for (int64_t leaf = 0; leaf < bounded.shape().num_array_leaves(); ++leaf) {
    for (const MapDirection direction :
         {MapDirection::kOutputToInput, MapDirection::kInputToOutput}) {
      const bool from_output = direction == MapDirection::kOutputToInput;
      const auto ask = [&](const Instruction& instruction) {
        return from_output ? analysis.OutputToInput(instruction, leaf)
                           : analysis.InputToOutput(instruction, leaf);
      };
      const OutputIndexing expected = ask(bounded);
      const OutputIndexing actual = ask(unbounded);
      std::map<OperandArray, const OperandIndexing*> records;
      for (const OperandIndexing& record : actual.operands()) records[record.array()] = &record;
      for (const OperandIndexing& record : expected.operands()) {
        const auto found = records.find(record.array());
        if (found == records.end()) {
          if (record.maps().empty() || actual.IsUnknown()) continue;
          return "a record is missing";
        }
        const auto& [operand, operand_leaf] = record.array();
        const Shape& output = bounded.shape().ArrayLeaf(leaf);
        const Shape& input = bounded.operand(operand).shape().ArrayLeaf(operand_leaf);
        const Shape& new_output = unbounded.shape().ArrayLeaf(leaf);
        const Shape& new_input = unbounded.operand(operand).shape().ArrayLeaf(operand_leaf);
        const Arrays arrays = from_output ? Arrays{output, input, new_output, new_input}
                                          : Arrays{input, output, new_input, new_output};
        const std::string error = CompareRecords(record, *found->second, arrays, compared);
        if (!error.empty()) return unbounded.name().str() + ": " + error;
      }
    }
  }
  return "";
}

// Compares a random module with itself under unknown sizes; not those that the verifier refuses.
void Compare(const std::string& text, Random& random, Compared& compared) {
  const std::string without = WithUnknownSize(text, random);
  SCOPED_TRACE(text + "\n" + without);
  const auto bounded = hlo::ParseModule(text);
  ASSERT_TRUE(bounded.ok()) << bounded.status().message();
  ASSERT_TRUE(hlo::Verify(**bounded).ok());
  const auto unbounded = hlo::ParseModule(without);
  if (!unbounded.ok() || !hlo::Verify(**unbounded).ok()) return;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  AnalysisOptions options;
  if (random.OneIn(4)) options.simplification = AnalysisOptions::Simplification::kNone;
  IndexingAnalysis analysis(&context, options);
  AnyModuleCount count;
  ASSERT_EQ(CheckAnyModule(without, random, &context, count), "");
  const auto& instructions = (*bounded)->entry().instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& of_unbounded = *(*unbounded)->entry().instructions()[i];
    ASSERT_EQ(CompareInstructions(*instructions[i], of_unbounded, analysis, compared), "");
  }
}

TEST(Unbounded, InstancesOfEveryOpcode) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_UNBOUNDED", 4000);
  const std::vector<Opcode> opcodes = FusibleOpcodes();
  Compared compared;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Opcode opcode = opcodes[static_cast<size_t>(seed) % opcodes.size()];
    Compare(RandomInstance(random, opcode), random, compared);
  }
  EXPECT_GT(compared.exact, modules);
  RecordProperty("exact", static_cast<int>(compared.exact));
  RecordProperty("unknown", static_cast<int>(compared.unknown));
}

TEST(Unbounded, Fusions) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_UNBOUNDED", 4000) / 2;
  Compared compared;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Compare(RandomFusion(random, FusibleOpcodes()), random, compared);
  }
  EXPECT_GT(compared.exact, modules);
  RecordProperty("exact", static_cast<int>(compared.exact));
  RecordProperty("unknown", static_cast<int>(compared.unknown));
}

}  // namespace
}  // namespace hlo_indexing::testing
