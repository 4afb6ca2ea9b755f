#include "codegen/ptx/machine/global_memory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/address.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kHostAlignment = 64;
constexpr int kUnwrittenByte = 0xff;

std::string Hex(uint64_t address) { return absl::StrCat("0x", absl::Hex(address)); }

std::string Bytes(uint64_t count) { return absl::StrCat(count, count == 1 ? " byte" : " bytes"); }

// Zeros on the host that nobody has touched yet. The first byte that is used is congruent to
// `address` modulo 64, so that what is aligned on the device is aligned on the host.
HostMemory HostZeros(uint64_t bytes, uint64_t address, std::byte** first) {
  HostMemory owner(std::calloc(bytes + 2 * kHostAlignment, 1));
  if (owner == nullptr) return owner;
  const auto start = reinterpret_cast<uintptr_t>(owner.get());
  const uintptr_t aligned = (start + kHostAlignment - 1) & ~uintptr_t{kHostAlignment - 1};
  *first = static_cast<std::byte*>(owner.get()) + (aligned - start) + address % kHostAlignment;
  return owner;
}

std::string DescribeAllocation(const Allocation& allocation) {
  return absl::StrCat(allocation.is_free ? "freed " : "",
                      allocation.name.empty() ? "an allocation" : allocation.name, " (",
                      Bytes(allocation.bytes), " at ", Hex(allocation.address), ")");
}

}  // namespace

absl::StatusOr<uint64_t> GlobalMemory::Allocate(uint64_t bytes, std::string_view name,
                                                uint64_t alignment, Contents contents) {
  if (!std::has_single_bit(alignment) || alignment > kWindowSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "alignment ", alignment, " of ", std::string(name), " is no power of two up to 2^32"));
  }
  const std::unique_lock lock(mutex_);
  if (bytes > options_.max_bytes || allocated_bytes_ > options_.max_bytes - bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no room for ", Bytes(bytes), " of ", name.empty() ? "global memory" : std::string(name),
        ": ", allocated_bytes_.load(), " of ", options_.max_bytes, " are in use"));
  }
  uint64_t address = std::max(next_address_, kGlobalStart);
  address = (address + alignment - 1) & ~(alignment - 1);
  if (address % (2 * alignment) == 0) address += alignment;

  auto allocation = std::make_unique<Allocation>();
  std::byte* shadow = nullptr;
  allocation->data_owner = HostZeros(bytes, address, &allocation->data);
  allocation->is_written_owner = HostZeros(bytes, address, &shadow);
  if (allocation->data_owner == nullptr || allocation->is_written_owner == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the host has no ", Bytes(bytes), " for ", std::string(name)));
  }
  allocation->is_written = reinterpret_cast<uint8_t*>(shadow);
  if (contents == Contents::kUnwritten) std::memset(allocation->data, kUnwrittenByte, bytes);
  allocation->is_all_written = contents == Contents::kZeros;
  allocation->address = address;
  allocation->bytes = bytes;
  allocation->name = name;
  allocation->number = static_cast<uint32_t>(allocations_.size());
  next_address_ = address + bytes + options_.red_zone;
  allocated_bytes_ += bytes;
  allocations_.push_back(std::move(allocation));
  return address;
}

absl::Status GlobalMemory::FreeDuringLaunch(uint64_t address) {
  const std::unique_lock lock(mutex_);
  Allocation* const allocation = StartingAt(address);
  if (allocation == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("free of ", Hex(address), ", which is the start of no allocation"));
  }
  if (allocation->is_free) {
    return absl::InvalidArgumentError(
        absl::StrCat("second free of ", DescribeAllocation(*allocation)));
  }
  allocation->is_free = true;
  allocated_bytes_ -= allocation->bytes;
  freed_during_launch_.push_back(allocation->number);
  return absl::OkStatus();
}

void GlobalMemory::ReleaseFreed() {
  const std::unique_lock lock(mutex_);
  for (const uint32_t number : freed_during_launch_) {
    Allocation& allocation = *allocations_[number];
    allocation.data_owner.reset();
    allocation.is_written_owner.reset();
    allocation.data = nullptr;
    allocation.is_written = nullptr;
  }
  freed_during_launch_.clear();
}

absl::Status GlobalMemory::Free(uint64_t address) {
  absl::Status status = FreeDuringLaunch(address);
  ReleaseFreed();
  return status;
}

absl::Status GlobalMemory::SetReadOnly(uint64_t address, bool is_read_only) {
  const std::unique_lock lock(mutex_);
  Allocation* const allocation = StartingAt(address);
  if (allocation == nullptr || allocation->is_free) {
    return absl::InvalidArgumentError(absl::StrCat(Hex(address), " is the start of no allocation"));
  }
  allocation->is_read_only = is_read_only;
  return absl::OkStatus();
}

const Allocation* GlobalMemory::Before(uint64_t address) const {
  const auto after = std::upper_bound(
      allocations_.begin(), allocations_.end(), address,
      [](uint64_t value, const std::unique_ptr<Allocation>& a) { return value < a->address; });
  return after == allocations_.begin() ? nullptr : std::prev(after)->get();
}

Allocation* GlobalMemory::StartingAt(uint64_t address) const {
  const Allocation* const found = Before(address);
  if (found == nullptr || found->address != address) return nullptr;
  return allocations_[found->number].get();
}

const Allocation* GlobalMemory::Find(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const Allocation* const found = Before(address);
  return found != nullptr && !found->is_free && found->Contains(address, 1) ? found : nullptr;
}

const Allocation& GlobalMemory::allocation(uint32_t number) const {
  const std::shared_lock lock(mutex_);
  return *allocations_[number];
}

uint32_t GlobalMemory::num_allocations() const {
  const std::shared_lock lock(mutex_);
  return static_cast<uint32_t>(allocations_.size());
}

std::string GlobalMemory::Describe(uint64_t address, uint64_t size) const {
  if (address < 4096) return absl::StrCat(Hex(address), " is a null pointer");
  const std::shared_lock lock(mutex_);
  const Allocation* const before = Before(address);
  if (before != nullptr && address - before->address < before->bytes) {
    const uint64_t offset = address - before->address;
    std::string text = absl::StrCat("byte ", offset, " of ", DescribeAllocation(*before));
    if (!before->Contains(address, size)) {
      absl::StrAppend(&text, ", ", Bytes(size - (before->bytes - offset)), " beyond its end");
    }
    return text;
  }
  // The nearer of two neighbours is likely the one that was meant.
  const size_t next = before == nullptr ? 0 : size_t{before->number} + 1;
  const Allocation* const after = next < allocations_.size() ? allocations_[next].get() : nullptr;
  const uint64_t beyond = before == nullptr ? ~uint64_t{0} : address - before->end();
  const uint64_t ahead = after == nullptr ? ~uint64_t{0} : after->address - address;
  const uint64_t near = std::min(beyond, ahead);
  if (near >= kWindowSize) return absl::StrCat(Hex(address), " is far from every allocation");
  if (beyond <= ahead) {
    return absl::StrCat(beyond == 0 ? "right behind the end of "
                                    : absl::StrCat(Bytes(beyond), " beyond the end of "),
                        DescribeAllocation(*before));
  }
  return absl::StrCat(Bytes(ahead), " before the start of ", DescribeAllocation(*after));
}

absl::Status GlobalMemory::Read(uint64_t address, void* to, uint64_t bytes) const {
  if (bytes == 0) return absl::OkStatus();
  const Allocation* const allocation = Find(address);
  if (allocation == nullptr || !allocation->Contains(address, bytes)) {
    return absl::OutOfRangeError(
        absl::StrCat("read of ", Bytes(bytes), " by the host: ", Describe(address, bytes)));
  }
  std::memcpy(to, allocation->data + (address - allocation->address), bytes);
  return absl::OkStatus();
}

namespace {

void MarkWritten(const Allocation& allocation, uint64_t offset, uint64_t bytes) {
  if (allocation.is_all_written) return;
  if (bytes == allocation.bytes) {
    allocation.is_all_written = true;
  } else {
    std::memset(allocation.is_written + offset, 1, bytes);
  }
}

}  // namespace

absl::Status GlobalMemory::Write(uint64_t address, const void* from, uint64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  const Allocation* const allocation = Find(address);
  if (allocation == nullptr || !allocation->Contains(address, bytes)) {
    return absl::OutOfRangeError(
        absl::StrCat("write of ", Bytes(bytes), " by the host: ", Describe(address, bytes)));
  }
  std::memcpy(allocation->data + (address - allocation->address), from, bytes);
  MarkWritten(*allocation, address - allocation->address, bytes);
  return absl::OkStatus();
}

absl::Status GlobalMemory::Fill(uint64_t address, uint8_t value, uint64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  const Allocation* const allocation = Find(address);
  if (allocation == nullptr || !allocation->Contains(address, bytes)) {
    return absl::OutOfRangeError(
        absl::StrCat("fill of ", Bytes(bytes), " by the host: ", Describe(address, bytes)));
  }
  std::memset(allocation->data + (address - allocation->address), value, bytes);
  MarkWritten(*allocation, address - allocation->address, bytes);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> GlobalMemory::AllocateConstant(uint64_t bytes, std::string_view name,
                                                        uint64_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > kWindowSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "alignment ", alignment, " of ", std::string(name), " is no power of two up to 2^32"));
  }
  const uint64_t limit = std::min(options_.max_bytes, kWindowSize);
  const uint64_t offset = (constant_bytes_ + alignment - 1) & ~(alignment - 1);
  if (offset > limit || bytes > limit - offset) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no room for ", Bytes(bytes), " of ", std::string(name),
                     " in constant memory: ", constant_bytes_, " of ", limit, " are in use"));
  }
  std::byte* fresh = nullptr;
  HostMemory owner = HostZeros(offset + bytes, 0, &fresh);
  if (owner == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the host has no ", Bytes(bytes), " for ", std::string(name)));
  }
  if (constant_bytes_ > 0) std::memcpy(fresh, constants_, constant_bytes_);
  constants_owner_ = std::move(owner);
  constants_ = fresh;
  constant_bytes_ = offset + bytes;
  constant_variables_.push_back({std::string(name), offset, bytes});
  return offset;
}

absl::Status GlobalMemory::ReadConstant(uint64_t offset, void* to, uint64_t bytes) const {
  if (offset > constant_bytes_ || bytes > constant_bytes_ - offset) {
    return absl::OutOfRangeError(absl::StrCat("read of ", Bytes(bytes), " at ", offset, " of ",
                                              constant_bytes_, " bytes of constant memory"));
  }
  if (bytes > 0) std::memcpy(to, constants_ + offset, bytes);
  return absl::OkStatus();
}

absl::Status GlobalMemory::WriteConstant(uint64_t offset, const void* from, uint64_t bytes) {
  if (offset > constant_bytes_ || bytes > constant_bytes_ - offset) {
    return absl::OutOfRangeError(absl::StrCat("write of ", Bytes(bytes), " at ", offset, " of ",
                                              constant_bytes_, " bytes of constant memory"));
  }
  if (bytes > 0) std::memcpy(constants_ + offset, from, bytes);
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx
