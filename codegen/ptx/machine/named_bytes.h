// Names for the bytes of a space, for messages.
//
// Example: with {{"tile", 0, 4096}, {"sums", 4096, 128}} the byte at 4100 is byte 4 of sums.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_NAMED_BYTES_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_NAMED_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hlo_indexing::ptx {

struct NamedBytes {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The element of `places`, which are in order of offset, that holds the byte at `offset`; nullptr
/// if none does.
inline const NamedBytes* FindNamedBytes(const std::vector<NamedBytes>& places, uint64_t offset) {
  auto after = std::upper_bound(
      places.begin(), places.end(), offset,
      [](uint64_t value, const NamedBytes& place) { return value < place.offset; });
  // Several names may begin at one offset (arrays whose size the launch gives).
  while (after != places.begin()) {
    --after;
    if (offset - after->offset < after->size) return &*after;
  }
  return nullptr;
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_NAMED_BYTES_H_
