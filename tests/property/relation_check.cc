#include "tests/property/relation_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "tests/property/positions.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::MapDirection;
using indexing_analysis::MapDirectionName;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;

// (device that reads, output element, device that is read, operand element)
using Pair = std::tuple<int64_t, int64_t, int64_t, int64_t>;
using Relation = std::set<Pair>;

// Collects the pairs of one map by trying all points.
class MapPoints {
 public:
  MapPoints(const Instruction& root, RunValues& values, const Shape& from, const Shape& to)
      : root_(root), values_(values), from_(from), to_(to) {}

  // What is wrong, if anything.
  std::string Collect(const IndexingMap& map, const IndexingMap* replica_map,
                      MapDirection direction, Relation& relation) {
    if (!map.Verify().ok() || (replica_map != nullptr && !replica_map->Verify().ok())) {
      return "mentions a variable that it has not: " + map.ToString();
    }
    for (size_t i = 0; i < map.num_dimensions(); ++i) {
      const indexing_analysis::Interval bounds = map.dimensions()[i].bounds;
      if (bounds.IsEmpty() || (bounds.lower >= 0 && bounds.upper < from_.sizes()[i])) continue;
      return "has bounds outside of " + from_.ToString() + ": " + map.ToString();
    }
    // Values are those of the device whose output it is: from an input, the one that is reached.
    const bool reaches_others = replica_map != nullptr && direction == MapDirection::kInputToOutput;
    for (int64_t device = 0; device < values_.num_devices(); ++device) {
      const int64_t first = reaches_others ? 0 : device;
      const int64_t last = reaches_others ? values_.num_devices() - 1 : device;
      for (int64_t of_values = first; of_values <= last; ++of_values) {
        std::string error =
            CollectOnDevice(map, replica_map, direction, {device, of_values}, relation);
        if (!error.empty()) return error;
      }
    }
    return "";
  }

 private:
  struct Devices {
    int64_t asks;
    int64_t of_values;
  };

  std::string CollectOnDevice(const IndexingMap& map, const IndexingMap* replica_map,
                              MapDirection direction, Devices devices, Relation& relation) {
    for (int64_t i = 0; i < from_.num_elements(); ++i) {
      const std::vector<int64_t> dimensions = Unflatten(i, from_.sizes());
      std::string error = AtElement(map, devices, dimensions, [&](const auto& symbols) {
        return AddPoint(map, replica_map, direction, devices, i, dimensions, symbols, relation);
      });
      if (!error.empty()) return error;
    }
    return "";
  }

  std::string AddPoint(const IndexingMap& map, const IndexingMap* replica_map,
                       MapDirection direction, Devices devices, int64_t element,
                       const std::vector<int64_t>& dimensions, const std::vector<int64_t>& symbols,
                       Relation& relation) {
    const auto result = map.Evaluate(dimensions, symbols);
    if (!result) return "cannot be evaluated: " + map.ToString();
    const auto other = Flatten(*result, to_.sizes());
    if (!other) return "a result lies outside the array: " + map.ToString();
    int64_t other_device = devices.asks;
    if (replica_map != nullptr) {
      const auto replica = replica_map->Evaluate(dimensions, symbols);
      if (!replica || replica->size() != 1) return "no device: " + replica_map->ToString();
      other_device = (*replica)[0];
    }
    if (other_device < 0 || other_device >= values_.num_devices()) {
      return "there is no such device: " + replica_map->ToString();
    }
    if (direction == MapDirection::kOutputToInput) {
      relation.emplace(devices.asks, element, other_device, *other);
    } else if (other_device == devices.of_values) {
      relation.emplace(other_device, *other, devices.asks, element);
    }
    return "";
  }

  // Calls `visit` for every point of the domain with these dimensions.
  template <typename Visit>
  std::string AtElement(const IndexingMap& map, Devices devices,
                        const std::vector<int64_t>& dimensions, Visit visit) {
    std::vector<int64_t> symbols(map.num_ranges() + map.num_runtime());
    for (size_t i = 0; i < map.num_ranges(); ++i) {
      symbols[i] = map.ranges()[i].bounds.lower;
      if (map.ranges()[i].bounds.IsEmpty()) return "";
    }
    while (true) {
      bool is_known = true;
      for (size_t i = 0; i < map.num_runtime() && is_known; ++i) {
        std::string error;
        const auto value = ValueOf(map.runtime()[i], devices, dimensions, symbols, error);
        if (!error.empty()) return error;
        is_known = value.has_value();
        if (is_known) symbols[map.num_ranges() + i] = *value;
      }
      // Outside the domain a value may be asked for that is not there.
      if (is_known && map.DomainContains(dimensions, symbols)) {
        std::string error = visit(symbols);
        if (!error.empty()) return error;
      }
      size_t i = 0;
      while (i < map.num_ranges() && symbols[i] == map.ranges()[i].bounds.upper) {
        symbols[i] = map.ranges()[i].bounds.lower;
        ++i;
      }
      if (i == map.num_ranges()) return "";
      ++symbols[i];
    }
  }

  // The value of a runtime variable in this run; nothing where it stands outside of its array.
  std::optional<int64_t> ValueOf(const RuntimeVariable& variable, Devices devices,
                                 const std::vector<int64_t>& dimensions,
                                 const std::vector<int64_t>& ranges, std::string& error) {
    if (variable.instruction == nullptr) return devices.asks;
    if (variable.index.IsUnknown()) {
      error = "a runtime variable without an index";
      return std::nullopt;
    }
    std::vector<int64_t> symbols(
        ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(variable.index.num_ranges()));
    for (const RuntimeVariable& nested : variable.index.runtime()) {
      const auto value = ValueOf(nested, devices, dimensions, ranges, error);
      if (!value) return std::nullopt;
      symbols.push_back(*value);
    }
    const auto index = variable.index.Evaluate(dimensions, symbols);
    const Shape& shape = variable.instruction->shape().ArrayLeaf(variable.leaf);
    const auto element = index ? Flatten(*index, shape.sizes()) : std::nullopt;
    if (!element) return std::nullopt;
    // Values inside the root's computation are reached through the root.
    std::vector<const Instruction*> calls(variable.calls.begin(), variable.calls.end());
    if (&variable.instruction->parent() != &root_.parent()) calls.insert(calls.begin(), &root_);
    const auto values = values_.ValuesOf(*variable.instruction, calls);
    if (!values.ok()) {
      error = "a runtime variable has no value: " + std::string(values.status().message());
      return std::nullopt;
    }
    const hlo::Value& value = (*values)[static_cast<size_t>(devices.of_values)];
    const int64_t integer =
        value.ArrayLeaves()[static_cast<size_t>(variable.leaf)]->Integer(*element);
    return std::clamp(integer, variable.bounds.lower, variable.bounds.upper);
  }

  const Instruction& root_;
  RunValues& values_;
  const Shape& from_;
  const Shape& to_;
};

Relation Expected(const TracedRun& run, const Shape& output_shape, int64_t output, size_t operand,
                  int64_t leaf) {
  Relation relation;
  for (int64_t device = 0; device < run.num_devices(); ++device) {
    for (int64_t i = 0; i < output_shape.num_elements(); ++i) {
      for (const hlo::Source& source : run.Reads(device, output, i)) {
        if (source.argument != static_cast<int64_t>(operand) || source.leaf != leaf) continue;
        relation.emplace(device, i, source.device, source.element);
      }
    }
  }
  return relation;
}

// What differs between what the maps say and what is read.
std::string Compare(const Relation& actual, const Relation& expected, Exactness exactness) {
  const auto text = [](const Pair& pair) {
    const auto& [device, element, other_device, other] = pair;
    return "output element " + std::to_string(element) + " on device " + std::to_string(device) +
           " and operand element " + std::to_string(other) + " on device " +
           std::to_string(other_device);
  };
  for (const Pair& pair : expected) {
    if (!actual.contains(pair)) return "misses " + text(pair);
  }
  if (exactness == Exactness::kSuperset) return "";
  for (const Pair& pair : actual) {
    if (!expected.contains(pair)) return "has too much: " + text(pair);
  }
  return "";
}

}  // namespace

std::string CheckRelation(const Instruction& instruction, IndexingAnalysis& analysis,
                          const TracedRun& run, RunValues& values, RecordCount& records) {
  for (const MapDirection direction :
       {MapDirection::kOutputToInput, MapDirection::kInputToOutput}) {
    for (int64_t output = 0; output < instruction.shape().num_array_leaves(); ++output) {
      const OutputIndexing indexing = direction == MapDirection::kOutputToInput
                                          ? analysis.OutputToInput(instruction, output)
                                          : analysis.InputToOutput(instruction, output);
      const Shape& output_shape = instruction.shape().ArrayLeaf(output);
      for (size_t operand = 0; operand < instruction.operands().size(); ++operand) {
        const Shape& shape = instruction.operand(operand).shape();
        for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
          const std::string where =
              MapDirectionName(direction).str() + ", output " + std::to_string(output) +
              ", operand " + std::to_string(operand) + ", array " + std::to_string(leaf) + ": ";
          const auto found = std::find_if(indexing.operands().begin(), indexing.operands().end(),
                                          [&](const OperandIndexing& one) {
                                            return one.operand() == operand && one.leaf() == leaf;
                                          });
          const bool is_read = found != indexing.operands().end();
          const Exactness exactness = is_read ? found->exactness() : Exactness::kExact;
          if (indexing.IsUnknown() || exactness == Exactness::kUnknown) {
            ++records.unknown;
            continue;
          }
          ++(exactness == Exactness::kExact ? records.exact : records.superset);
          if (exactness != Exactness::kExact && found->reason().empty()) return where + "no reason";
          const Shape& operand_shape = shape.ArrayLeaf(leaf);
          MapPoints points(
              instruction, values,
              direction == MapDirection::kOutputToInput ? output_shape : operand_shape,
              direction == MapDirection::kOutputToInput ? operand_shape : output_shape);
          Relation actual;
          const indexing_analysis::MapList maps =
              is_read ? found->maps() : indexing_analysis::MapList();
          for (const auto& [map, replica_map] : maps) {
            const std::string error =
                points.Collect(map, replica_map ? &*replica_map : nullptr, direction, actual);
            if (!error.empty()) return where + error;
          }
          const std::string difference =
              Compare(actual, Expected(run, output_shape, output, operand, leaf), exactness);
          if (difference.empty()) continue;
          std::string text;
          for (const auto& map : maps) text += "\n  " + map.ToString();
          return where + difference + text;
        }
      }
    }
  }
  return "";
}

}  // namespace hlo_indexing::testing
