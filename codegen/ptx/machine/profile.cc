#include "codegen/ptx/machine/profile.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hlo_indexing::ptx {
namespace {

void Unite(const std::vector<uint64_t>& from, std::vector<uint64_t>& into) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

}  // namespace

void OperationCounts::Add(const OperationCounts& other) {
  executions += other.executions;
  active_lanes += other.active_lanes;
  global_requests += other.global_requests;
  global_bytes += other.global_bytes;
  global_sectors += other.global_sectors;
  global_ideal_sectors += other.global_ideal_sectors;
  global_lines += other.global_lines;
  shared_requests += other.shared_requests;
  shared_bytes += other.shared_bytes;
  shared_wavefronts += other.shared_wavefronts;
  shared_ideal_wavefronts += other.shared_ideal_wavefronts;
  local_requests += other.local_requests;
  local_bytes += other.local_bytes;
  local_sectors += other.local_sectors;
  constant_requests += other.constant_requests;
  constant_addresses += other.constant_addresses;
  atomic_lanes += other.atomic_lanes;
  atomic_collisions += other.atomic_collisions;
}

OperationCounts Profile::Sum() const {
  OperationCounts sum;
  for (const OperationCounts& counts : operations_) sum.Add(counts);
  return sum;
}

TouchedSectors& Profile::Touched(uint32_t allocation, uint64_t num_sectors) {
  if (allocation >= touched_.size()) touched_.resize(size_t{allocation} + 1);
  TouchedSectors& touched = touched_[allocation];
  const uint64_t words = (num_sectors + 63) / 64;
  if (touched.read.size() < words) {
    touched.read.resize(words);
    touched.written.resize(words);
  }
  return touched;
}

void Profile::Merge(const Profile& other) {
  if (operations_.size() < other.operations_.size()) operations_.resize(other.operations_.size());
  for (size_t i = 0; i < other.operations_.size(); ++i) operations_[i].Add(other.operations_[i]);
  if (touched_.size() < other.touched_.size()) touched_.resize(other.touched_.size());
  for (size_t i = 0; i < other.touched_.size(); ++i) {
    Unite(other.touched_[i].read, touched_[i].read);
    Unite(other.touched_[i].written, touched_[i].written);
  }
}

uint64_t CountBits(const std::vector<uint64_t>& bits) {
  uint64_t count = 0;
  for (const uint64_t word : bits) count += static_cast<uint64_t>(std::popcount(word));
  return count;
}

}  // namespace hlo_indexing::ptx
