// An mbarrier in shared memory: 64 bits whose layout the ISA leaves open (PTX ISA 9.7.13.15).
//
// Example: mbarrier.init with count 2 stores MbarrierObject{.pending = 2, .expected = 2}.Pack().
// Two arrivals later a phase is complete: pending is 2 again, and the phase bit has changed.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MBARRIER_OBJECT_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MBARRIER_OBJECT_H_

#include <cstdint>
#include <optional>

namespace hlo_indexing::ptx {

struct MbarrierObject {
  static constexpr uint32_t kMaxCount = (1U << 20) - 1;

  /// Arrivals that the current phase still needs, and that the next one will.
  uint32_t pending = 0;
  uint32_t expected = 0;
  /// Bytes that the current phase still needs: from -kMaxCount to kMaxCount.
  int32_t transactions = 0;
  /// Parity of the current phase, the first being 0.
  bool phase = false;

  /// Bits 0 to 19 pending, 20 to 39 expected, 40 to 60 transactions plus 2^20, 61 phase; 62 and 63
  /// are 0 and 1, by which a barrier is told from memory that holds none (zeros, or fresh 0xff).
  uint64_t Pack() const {
    return uint64_t{pending} | uint64_t{expected} << 20 |
           static_cast<uint64_t>(transactions + int32_t{kMaxCount} + 1) << 40 |
           uint64_t{phase ? 1U : 0U} << 61 | uint64_t{2} << 62;
  }

  /// nullopt: the bits are no mbarrier.
  static std::optional<MbarrierObject> Unpack(uint64_t bits) {
    if (bits >> 62 != 2) return std::nullopt;
    MbarrierObject object;
    object.pending = static_cast<uint32_t>(bits & kMaxCount);
    object.expected = static_cast<uint32_t>(bits >> 20 & kMaxCount);
    object.transactions = static_cast<int32_t>(bits >> 40 & 0x1f'ffff) - int32_t{kMaxCount} - 1;
    object.phase = (bits >> 61 & 1) != 0;
    return object;
  }

  /// Takes arrivals off. False, and nothing is done, if the phase does not expect so many.
  bool Arrive(uint32_t count) {
    if (count > pending) return false;
    pending -= count;
    EndPhaseIfComplete();
    return true;
  }

  /// Adds to the bytes that are waited for; negative: bytes have come. False if the count would
  /// leave its range.
  bool AddTransactions(int64_t bytes) {
    const int64_t sum = transactions + bytes;
    if (sum > kMaxCount || sum < -int64_t{kMaxCount}) return false;
    transactions = static_cast<int32_t>(sum);
    EndPhaseIfComplete();
    return true;
  }

 private:
  void EndPhaseIfComplete() {
    if (pending != 0 || transactions != 0) return;
    phase = !phase;
    pending = expected;
  }
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MBARRIER_OBJECT_H_
