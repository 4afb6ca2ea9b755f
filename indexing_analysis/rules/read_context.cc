#include "indexing_analysis/rules/read_context.h"

#include <optional>

#include "indexing_analysis/maps/index_range.h"

namespace hlo_indexing::indexing_analysis {

Sum ReadContext::AddRange(Access& access, int64_t size) {
  const VariableId variable = access.AddRange(IndexRange(size));
  // In front of the ranges that the access came with, behind those that this rule has added.
  const size_t added = access.ranges.size() - access_.ranges.size();
  access.ranges.insert(access.ranges.begin() + static_cast<std::ptrdiff_t>(added), variable);
  return size == 0 ? simplifier::Constant(0) : access.map.Variable(digits_, variable);
}

void ReadContext::Constrain(Access& access, const Sum& sum, Interval bounds) const {
  const Interval range = simplifier::NaturalRange(sum);
  if (bounds.Contains(range)) return;
  bounds = bounds.Intersect(range);
  if (bounds.IsEmpty()) access.map.empty = true;
  access.map.constraints.push_back({sum, bounds});
}

Sum ReadContext::Device(Access& access) {
  return access_.has_device ? access_.map.results.back() : sink_.ExecutingDevice(access);
}

void ReadContext::Read(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index) {
  if (access.map.empty) return;
  std::optional<Sum> device;
  if (access.has_device) device = access.map.results.back();
  access.map.results.assign(index.begin(), index.end());
  if (device) access.map.results.push_back(*device);
  sink_.Read(operand, leaf, std::move(access));
}

void ReadContext::ReadWithin(size_t operand, int64_t leaf, Access access,
                             llvm::ArrayRef<Sum> index) {
  const hlo::Shape& shape = this->operand(operand);
  if (leaf >= shape.num_array_leaves() || shape.ArrayLeaf(leaf).sizes().size() != index.size()) {
    ReadUnknown("the shapes do not fit the opcode");
    return;
  }
  const llvm::ArrayRef<int64_t> sizes = shape.ArrayLeaf(leaf).sizes();
  for (size_t i = 0; i < sizes.size(); ++i) Constrain(access, index[i], IndexRange(sizes[i]));
  Read(operand, leaf, std::move(access), index);
}

void ReadContext::ReadFromDevice(size_t operand, int64_t leaf, Access access,
                                 llvm::ArrayRef<Sum> index, const Sum& device) {
  // If there is no choice, or nothing moves, the device stays what it was.
  const bool is_own = devices().Count() == 1 || device == Device(access);
  if (!is_own) {
    access.has_device = true;
    access.map.results = {device};
  }
  ReadWithin(operand, leaf, std::move(access), index);
}

void ReadContext::ReadSameIndexWithin(size_t operand, int64_t leaf) {
  const hlo::Shape& shape = this->operand(operand);
  const bool is_same =
      leaf < shape.num_array_leaves() && shape.ArrayLeaf(leaf).sizes() == output().sizes();
  if (is_same) {
    ReadSameIndex(operand, leaf);
  } else {
    ReadWithin(operand, leaf, Start(), index());
  }
}

void ReadContext::ReadWhole(size_t operand, int64_t leaf, llvm::StringRef superset_reason) {
  Access access = Start();
  llvm::SmallVector<Sum, 6> index;
  for (const int64_t size : this->operand(operand).ArrayLeaf(leaf).sizes()) {
    index.push_back(AddRange(access, size));
  }
  if (!superset_reason.empty()) access.superset_reason = superset_reason.str();
  Read(operand, leaf, std::move(access), index);
}

void ReadContext::ReadWholeOperand(size_t operand, llvm::StringRef superset_reason) {
  const int64_t leaves = this->operand(operand).num_array_leaves();
  for (int64_t leaf = 0; leaf < leaves; ++leaf) ReadWhole(operand, leaf, superset_reason);
}

}  // namespace hlo_indexing::indexing_analysis
