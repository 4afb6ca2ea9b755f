#include "indexing_analysis/queries/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "indexing_analysis/queries/warp_requests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kBanks = 32;
constexpr int64_t kWordBits = 32;

// The wavefronts of one request. Offsets are where the elements lie.
RequestSectors WavefrontsOf(llvm::ArrayRef<int64_t> lanes, llvm::ArrayRef<int64_t> offsets,
                            int64_t width) {
  const int64_t words = std::max<int64_t>(1, width / kWordBits);
  const int64_t lanes_at_once = kWarpSize / words;
  RequestSectors result;
  for (size_t begin = 0; begin < lanes.size();) {
    const int64_t pass = lanes[begin] / lanes_at_once;
    llvm::SmallVector<int64_t, kWarpSize> wanted;
    size_t i = begin;
    for (; i < lanes.size() && lanes[i] / lanes_at_once == pass; ++i) {
      const int64_t first = support::FloorDiv(offsets[i], kWordBits);
      const int64_t last = support::FloorDiv(offsets[i] + width - 1, kWordBits);
      for (int64_t word = first; word <= last; ++word) wanted.push_back(word);
    }
    begin = i;
    llvm::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::array<int64_t, kBanks> words_of_bank = {};
    int64_t most = 0;
    for (const int64_t word : wanted) {
      const auto bank = static_cast<size_t>(support::FloorMod(word, kBanks));
      most = std::max(most, ++words_of_bank[bank]);
    }
    result.sectors += most;
    ++result.ideal_sectors;
  }
  return result;
}

}  // namespace

void BankConflicts::Print(llvm::raw_ostream& out) const {
  const auto write = [&](const char* name, const Image::Count& count) {
    out << name << count.lower;
    if (!count.IsExact()) out << " to " << count.upper;
  };
  write("requests: ", requests);
  write(", wavefronts: ", wavefronts);
  write(", ideal: ", ideal_wavefronts);
  out << ", vector: " << vector_bytes << " bytes";
}

std::optional<BankConflicts> BankConflictsOf(const MemoryAccess& access,
                                             const std::optional<layout::CuteSwizzle>& swizzle,
                                             const CoalescingOptions& options) {
  if (access.position.IsUnknown()) return std::nullopt;
  BankConflicts result;
  if (access.position.IsKnownEmpty()) return result;
  const int64_t element_bits = access.element_bits;
  const auto cost = [&](llvm::ArrayRef<int64_t> lanes, llvm::MutableArrayRef<int64_t> offsets,
                        int64_t width) {
    if (swizzle.has_value()) {
      for (int64_t& offset : offsets) offset = swizzle->Apply(offset / element_bits) * element_bits;
    }
    return WavefrontsOf(lanes, offsets, width);
  };
  constexpr int64_t kBitsOfBanks = kBanks * kWordBits;
  const int64_t period =
      std::lcm(kBitsOfBanks, swizzle.has_value() ? swizzle->block() * element_bits : int64_t{1});
  WarpRequests requests =
      CountRequests(access, options, {cost, /*period_bits=*/period, /*unit_bits=*/kBitsOfBanks});
  if (requests.is_empty) return result;
  result.vector_bytes = requests.vector_elements * element_bits / 8;
  result.requests = requests.totals.requests;
  result.wavefronts = requests.totals.sectors;
  result.ideal_wavefronts = requests.totals.ideal_sectors;
  result.reason = std::move(requests.totals.reason);
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
