#include "indexing_analysis/propagation/runtime_values.h"

#include <algorithm>
#include <optional>

#include "indexing_analysis/propagation/integer_values.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

namespace {

// A value that is not one for the whole query: any of those that it may have.
Sum VaryingValue(DigitContext& digits, Interval bounds, llvm::StringRef reason, Access& access) {
  const VariableId variable = access.AddRange(bounds);
  access.ranges.insert(access.ranges.begin(), variable);
  access.superset_reason = reason.str();
  return access.map.Variable(digits, variable);
}

}  // namespace

RuntimeValues::RuntimeValues(int64_t num_devices) {
  RuntimeSource& device = table_.emplace_back();
  device.bounds = {0, num_devices - 1};
  device.name = "replica";
}

RuntimeValues::Value RuntimeValues::ValueOf(DigitContext& digits, const Instruction& operand,
                                            llvm::ArrayRef<Sum> index, Interval bounds,
                                            const CallFrame* frame, const Access& incoming,
                                            Access& access) {
  if (bounds.IsPoint()) return {simplifier::Constant(bounds.lower)};
  const CalledInstruction source = ResolveParameter({&operand, frame});
  const IntegerValue known = KnownInteger(digits, source, index);
  size_t outermost = std::min(known.outermost_call_depth, OutermostCallDepth(frame, source.frame));
  if (frame == nullptr) outermost = 0;
  const auto clamp = [&](int64_t value) { return std::clamp(value, bounds.lower, bounds.upper); };
  if (known.sum && bounds.Contains(simplifier::NaturalRange(*known.sum))) {
    return {*known.sum, outermost};
  }
  bounds = {clamp(known.range.lower), clamp(known.range.upper)};
  if (bounds.IsPoint()) return {simplifier::Constant(bounds.lower), outermost};
  if (access.has_device) {
    return {VaryingValue(digits, bounds, "an index has another value on another device", access),
            outermost};
  }
  if (IsInLoop(source.frame)) {
    return {VaryingValue(digits, bounds, "an index changes while a loop runs", access), outermost};
  }
  std::vector<const Instruction*> path = CallsTo(source.frame);
  path.push_back(source.instruction);
  const uint32_t number = NumberOf(path);
  if (!llvm::is_contained(access.runtime, number)) {
    // In front of those that the access came with, behind those of this instruction.
    const size_t added = access.runtime.size() - incoming.runtime.size();
    access.runtime.insert(access.runtime.begin() + static_cast<std::ptrdiff_t>(added), number);
  }
  return {digits.Function(number, index, bounds), outermost};
}

Sum RuntimeValues::ExecutingDevice(DigitContext& digits, Access& access) const {
  if (!llvm::is_contained(access.runtime, kExecutingDevice)) {
    access.runtime.push_back(kExecutingDevice);
  }
  return digits.Function(kExecutingDevice, {}, table_[kExecutingDevice].bounds);
}

void RuntimeValues::Compose(DigitContext& digits, const IndexingMap& map, Access& access) {
  std::optional<Sum> device;
  if (access.has_device) device = access.map.results.pop_back_val();
  const size_t num_known = table_.size();
  ComposeInto(digits, table_, map, access);
  if (device) access.map.results.push_back(*device);
  // The access holds the indices; the context goes.
  for (RuntimeSource& source : llvm::MutableArrayRef(table_).drop_front(num_known)) {
    for (Sum& index : source.index) index = simplifier::Constant(0);
    source.is_composed = true;
  }
}

uint32_t RuntimeValues::NumberOf(const std::vector<const Instruction*>& path) {
  const auto [position, is_new] = numbers_.try_emplace(path, NextNumber());
  if (is_new) {
    RuntimeSource& source = table_.emplace_back();
    source.instruction = path.back();
    source.calls.assign(path.begin(), path.end() - 1);
  }
  return position->second;
}

ValuePath RuntimeValues::PathOf(uint32_t number, size_t num_calls) const {
  const RuntimeSource& source = table_[number];
  ValuePath path(llvm::ArrayRef(source.calls).drop_front(num_calls));
  path.push_back(source.instruction);
  return path;
}

bool RuntimeValues::AreFoundAgain(llvm::ArrayRef<AccessSets> arrays, llvm::ArrayRef<uint32_t> given,
                                  uint32_t first_inside) const {
  const auto is_found_again = [&](uint32_t number) {
    if (number < first_inside) return llvm::is_contained(given, number);
    return !table_[number].is_composed;
  };
  return llvm::all_of(arrays, [&](const AccessSets& leaves) {
    return llvm::all_of(leaves, [&](const AccessSet& array) {
      return llvm::all_of(array.entries(), [&](const AccessSet::Entry& entry) {
        return llvm::all_of(entry.access->runtime, is_found_again);
      });
    });
  });
}

}  // namespace hlo_indexing::indexing_analysis
