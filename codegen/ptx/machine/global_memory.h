// The memory of the device that outlives a launch: global allocations and constant memory.
//
// An allocation has an address of the virtual GPU and bytes on the host. Addresses are never used
// again, and between two allocations lies a red zone that belongs to nobody, so that an access
// which runs over an end, or comes after a Free, is told from a right one.
//
// Example:
//   GlobalMemory memory;
//   HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t x, memory.Allocate(4096, "x"));
//   HLO_INDEXING_RETURN_IF_ERROR(memory.Write(x, values.data(), 4096));
//   memory.Describe(x + 4100, 4);  // "4 bytes beyond the end of x (4096 bytes at 0x7f1000000100)"
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_MEMORY_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/machine/named_bytes.h"

namespace hlo_indexing::ptx {

/// What fresh memory holds.
enum class Contents : uint8_t {
  /// Bytes 0xff (a NaN, or -1), which count as never written.
  kUnwritten,
  /// Zeros, which count as written: what variables of a module begin with.
  kZeros,
};

struct ReleaseHostMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using HostMemory = std::unique_ptr<void, ReleaseHostMemory>;

/// Global memory that was asked for at once. Its place never changes.
struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name;
  /// Counted from 0 in the order of the calls of Allocate.
  uint32_t number = 0;
  /// Kernels may not write it.
  bool is_read_only = false;
  std::atomic<bool> is_free = false;
  /// Every byte counts as written: the host has written all of it, or a launch that does not track
  /// what is written has written some of it.
  mutable std::atomic<bool> is_all_written = false;
  /// `bytes` of them; the host's alignment is that of `address`, up to 64.
  std::byte* data = nullptr;
  /// One for each byte: 1 if it was written. Means nothing where is_all_written.
  uint8_t* is_written = nullptr;

  uint64_t end() const { return address + bytes; }
  bool Contains(uint64_t first, uint64_t size) const {
    return first >= address && size <= bytes && first - address <= bytes - size;
  }

  HostMemory data_owner;
  HostMemory is_written_owner;
};

struct GlobalMemoryOptions {
  /// Largest sum of the bytes of all allocations, of constant memory by itself likewise.
  uint64_t max_bytes = uint64_t{8} << 30;
  /// Bytes between two allocations, at least.
  uint64_t red_zone = uint64_t{1} << 20;
};

class GlobalMemory {
 public:
  explicit GlobalMemory(GlobalMemoryOptions options = {}) : options_(options) {}

  /// The address of `bytes` fresh bytes. `alignment` is a power of two; the address is a multiple
  /// of it and not of twice as much, so that a kernel that counts on more is seen to.
  /// kResourceExhausted beyond the limit, kInvalidArgument for a wrong alignment.
  absl::StatusOr<uint64_t> Allocate(uint64_t bytes, std::string_view name, uint64_t alignment = 256,
                                    Contents contents = Contents::kUnwritten);
  /// Gives an allocation back. kInvalidArgument unless `address` is the start of a live one. Not
  /// while a launch is under way.
  absl::Status Free(uint64_t address);
  /// As Free, while a launch is under way: the host's bytes stay until ReleaseFreed.
  absl::Status FreeDuringLaunch(uint64_t address);
  void ReleaseFreed();
  /// Whether kernels may write the allocation that starts at `address`.
  absl::Status SetReadOnly(uint64_t address, bool is_read_only);

  /// Copies from and to the host. kOutOfRange unless all bytes lie in one live allocation.
  absl::Status Read(uint64_t address, void* to, uint64_t bytes) const;
  absl::Status Write(uint64_t address, const void* from, uint64_t bytes);
  absl::Status Fill(uint64_t address, uint8_t value, uint64_t bytes);

  /// The live allocation that holds the byte at `address`, or nullptr. Valid until it is freed.
  const Allocation* Find(uint64_t address) const;
  /// By number; all that there ever were.
  const Allocation& allocation(uint32_t number) const;
  uint32_t num_allocations() const;
  uint64_t allocated_bytes() const { return allocated_bytes_; }

  /// Where `size` bytes at `address` lie, in words, for messages about a wrong access.
  std::string Describe(uint64_t address, uint64_t size) const;

  /// The offset in constant memory of `bytes` zeros, for a `.const` variable.
  absl::StatusOr<uint64_t> AllocateConstant(uint64_t bytes, std::string_view name,
                                            uint64_t alignment = 4);
  absl::Status ReadConstant(uint64_t offset, void* to, uint64_t bytes) const;
  absl::Status WriteConstant(uint64_t offset, const void* from, uint64_t bytes);
  /// The bytes on the host, constant_bytes() of them. Move when another variable is added.
  std::byte* constants() { return constants_; }
  uint64_t constant_bytes() const { return constant_bytes_; }
  const std::vector<NamedBytes>& constant_variables() const { return constant_variables_; }

 private:
  /// The last allocation, live or freed, that starts at or before the address; nullptr: none does.
  const Allocation* Before(uint64_t address) const;
  Allocation* StartingAt(uint64_t address) const;

  GlobalMemoryOptions options_;
  mutable std::shared_mutex mutex_;
  /// In order of address.
  std::vector<std::unique_ptr<Allocation>> allocations_;
  uint64_t next_address_ = 0;
  std::atomic<uint64_t> allocated_bytes_ = 0;
  std::vector<uint32_t> freed_during_launch_;

  HostMemory constants_owner_;
  std::byte* constants_ = nullptr;
  uint64_t constant_bytes_ = 0;
  std::vector<NamedBytes> constant_variables_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_MEMORY_H_
