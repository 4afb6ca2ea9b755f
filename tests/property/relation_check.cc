#include "tests/property/relation_check.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;

// (device that reads, output element, device that is read, operand element)
using Pair = std::tuple<int64_t, int64_t, int64_t, int64_t>;
using Relation = std::set<Pair>;

enum class From : uint8_t { kOutput, kInput };

// Collects the pairs of one map by trying all points.
class MapPoints {
 public:
  MapPoints(const Instruction& root, const Outcome& outcome, const Shape& from, const Shape& to)
      : root_(root), outcome_(outcome), from_(from), to_(to) {}

  // What is wrong, if anything.
  std::string Collect(const IndexingMap& map, const IndexingMap* replica_map, From from,
                      Relation& relation) {
    const int64_t devices = static_cast<int64_t>(outcome_.reads.size());
    for (int64_t device = 0; device < devices; ++device) {
      for (int64_t i = 0; i < from_.num_elements(); ++i) {
        const std::vector<int64_t> dimensions = Unflatten(i, from_.sizes());
        std::string error = AtElement(map, device, dimensions, [&](const auto& symbols) {
          return AddPoint(map, replica_map, from, device, i, dimensions, symbols, relation);
        });
        if (!error.empty()) return error;
      }
    }
    return "";
  }

 private:
  std::string AddPoint(const IndexingMap& map, const IndexingMap* replica_map, From from,
                       int64_t device, int64_t element, const std::vector<int64_t>& dimensions,
                       const std::vector<int64_t>& symbols, Relation& relation) {
    const auto result = map.Evaluate(dimensions, symbols);
    if (!result) return "cannot be evaluated: " + map.ToString();
    const auto other = Flatten(*result, to_.sizes());
    if (!other) return "a result lies outside the array: " + map.ToString();
    int64_t other_device = device;
    if (replica_map != nullptr) {
      const auto replica = replica_map->Evaluate(dimensions, symbols);
      if (!replica || replica->size() != 1) return "no device: " + replica_map->ToString();
      other_device = (*replica)[0];
    }
    if (other_device < 0 || other_device >= static_cast<int64_t>(outcome_.reads.size())) {
      return "there is no such device: " + replica_map->ToString();
    }
    if (from == From::kOutput) {
      relation.emplace(device, element, other_device, *other);
    } else {
      relation.emplace(other_device, *other, device, element);
    }
    return "";
  }

  // Calls `visit` for every point of the domain with these dimensions.
  template <typename Visit>
  std::string AtElement(const IndexingMap& map, int64_t device,
                        const std::vector<int64_t>& dimensions, Visit visit) {
    std::vector<int64_t> symbols(map.num_ranges() + map.num_runtime());
    for (size_t i = 0; i < map.num_ranges(); ++i) {
      symbols[i] = map.ranges()[i].bounds.lower;
      if (map.ranges()[i].bounds.IsEmpty()) return "";
    }
    while (true) {
      bool is_known = true;
      for (size_t i = 0; i < map.num_runtime() && is_known; ++i) {
        const auto value = ValueOf(map.runtime()[i], device, dimensions, symbols);
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

  std::optional<int64_t> ValueOf(const RuntimeVariable& variable, int64_t device,
                                 const std::vector<int64_t>& dimensions,
                                 const std::vector<int64_t>& ranges) {
    if (variable.instruction == nullptr) return device;
    std::vector<int64_t> symbols(
        ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(variable.index.num_ranges()));
    for (const RuntimeVariable& nested : variable.index.runtime()) {
      const auto value = ValueOf(nested, device, dimensions, ranges);
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
    const auto value = outcome_.integers->Get(*variable.instruction, *element, calls);
    if (!value) return std::nullopt;
    return std::clamp(*value, variable.bounds.lower, variable.bounds.upper);
  }

  const Instruction& root_;
  const Outcome& outcome_;
  const Shape& from_;
  const Shape& to_;
};

Relation Expected(const Outcome& outcome, size_t output, size_t operand, int64_t leaf) {
  Relation relation;
  for (size_t device = 0; device < outcome.reads.size(); ++device) {
    const std::vector<Sources>& elements = outcome.reads[device][output];
    for (size_t i = 0; i < elements.size(); ++i) {
      for (const Source& source : elements[i]) {
        if (source.operand != operand || source.leaf != leaf) continue;
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
                          const Outcome& outcome, RecordCount& records) {
  for (const From from : {From::kOutput, From::kInput}) {
    for (int64_t output = 0; output < instruction.shape().num_array_leaves(); ++output) {
      const OutputIndexing indexing = from == From::kOutput
                                          ? analysis.OutputToInput(instruction, output)
                                          : analysis.InputToOutput(instruction, output);
      const Shape& output_shape = instruction.shape().ArrayLeaf(output);
      for (size_t operand = 0; operand < instruction.operands().size(); ++operand) {
        const Shape& shape = instruction.operand(operand).shape();
        for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
          const std::string where =
              std::string(from == From::kOutput ? "output-to-input" : "input-to-output") +
              ", output " + std::to_string(output) + ", operand " + std::to_string(operand) +
              ", array " + std::to_string(leaf) + ": ";
          const auto found = std::find_if(indexing.operands().begin(), indexing.operands().end(),
                                          [&](const OperandIndexing& one) {
                                            return one.operand == operand && one.leaf == leaf;
                                          });
          const bool is_read = found != indexing.operands().end();
          const Exactness exactness = is_read ? found->exactness : Exactness::kExact;
          if (!indexing.unknown_reason().empty() || exactness == Exactness::kUnknown) {
            ++records.unknown;
            continue;
          }
          ++(exactness == Exactness::kExact ? records.exact : records.superset);
          if (exactness != Exactness::kExact && found->reason.empty()) return where + "no reason";
          const Shape& operand_shape = shape.ArrayLeaf(leaf);
          MapPoints points(instruction, outcome,
                           from == From::kOutput ? output_shape : operand_shape,
                           from == From::kOutput ? operand_shape : output_shape);
          Relation actual;
          for (size_t k = 0; is_read && k < found->maps->size(); ++k) {
            const bool has_replica = found->replica_maps != nullptr && (*found->replica_maps)[k];
            const std::string error =
                points.Collect((*found->maps)[k],
                               has_replica ? &*(*found->replica_maps)[k] : nullptr, from, actual);
            if (!error.empty()) return where + error;
          }
          const std::string difference = Compare(
              actual, Expected(outcome, static_cast<size_t>(output), operand, leaf), exactness);
          if (difference.empty()) continue;
          std::string maps;
          for (size_t k = 0; is_read && k < found->maps->size(); ++k) {
            maps += "\n  " + (*found->maps)[k].ToString();
          }
          return where + difference + maps;
        }
      }
    }
  }
  return "";
}

}  // namespace hlo_indexing::testing
