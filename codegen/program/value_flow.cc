#include "codegen/program/value_flow.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::program {
namespace {

// The read array that the made one may take the memory of, if there is one.
std::optional<size_t> UpdatedBy(const FlowStep& step, size_t made) {
  for (const auto& [to, from] : step.updates) {
    if (to == made && llvm::count(step.reads, from) == 1) return from;
  }
  return std::nullopt;
}

}  // namespace

StorageAssignment AssignStorages(const ValueFlow& flow) {
  StorageAssignment assignment;
  assignment.of_array.resize(flow.arrays.size());
  assignment.last_reads.resize(flow.arrays.size(), 0);
  for (size_t s = 0; s < flow.steps.size(); ++s) {
    for (const size_t made : flow.steps[s].makes) assignment.last_reads[made] = s;
    for (const size_t read : flow.steps[s].reads) assignment.last_reads[read] = s;
  }
  for (const size_t output : flow.outputs) assignment.last_reads[output] = flow.steps.size();
  for (size_t s = 0; s < flow.steps.size(); ++s) {
    const FlowStep& step = flow.steps[s];
    for (const size_t made : step.makes) {
      const std::optional<size_t> updated = UpdatedBy(step, made);
      if (updated.has_value() && assignment.of_array[*updated].has_value() &&
          assignment.last_reads[*updated] == s) {
        assignment.of_array[made] = assignment.of_array[*updated];
      } else {
        assignment.of_array[made] = assignment.storages.size();
        Storage& storage = assignment.storages.emplace_back();
        storage.first_step = s;
        storage.instruction = step.instruction;
        if (updated.has_value() && flow.arrays[*updated].kind == ArrayOrigin::Kind::kParameter) {
          storage.updated_parameter = flow.arrays[*updated].number;
        }
      }
      Storage& storage = assignment.storages[*assignment.of_array[made]];
      storage.bytes = std::max(storage.bytes, flow.arrays[made].bytes);
      storage.last_step = std::max(storage.last_step, assignment.last_reads[made]);
    }
  }
  for (size_t i = 0; i < flow.outputs.size(); ++i) {
    const std::optional<size_t> storage = assignment.of_array[flow.outputs[i]];
    if (storage.has_value() && !assignment.storages[*storage].output.has_value()) {
      assignment.storages[*storage].output = i;
    }
  }
  return assignment;
}

}  // namespace hlo_indexing::program
