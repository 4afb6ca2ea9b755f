// How much of the memory system one warp instruction uses: sectors and lines of global memory,
// wavefronts of shared memory.
//
// Example: 32 lanes that read neighbouring floats from an address that is a multiple of 128 touch 4
// sectors in 1 line; one column of a 32x32 tile of floats in shared memory takes 32 wavefronts, of
// a 32x33 tile 1.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_ACCESS_FOOTPRINT_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_ACCESS_FOOTPRINT_H_

#include <array>
#include <cstdint>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {

/// Sectors of 32 bytes that a request touches, each once.
struct SectorList {
  int count = 0;
  /// Addresses divided by 32. Each lane touches one, or two where its access is not aligned.
  std::array<uint64_t, size_t{2} * kWarpSize> sectors;
};

struct GlobalFootprint {
  /// Different sectors; as many as would hold the different bytes side by side; different lines of
  /// 128 bytes.
  uint32_t sectors = 0;
  uint32_t ideal_sectors = 0;
  uint32_t lines = 0;
};

/// Of an access to global memory by `access.lanes`, whose addresses are known to be right.
GlobalFootprint GlobalFootprintOf(const WarpAccess& access, SectorList& touched);

struct SharedFootprint {
  /// Passes over the 32 banks of 4 bytes. Accesses of up to 4 bytes are served for the whole warp
  /// at once, of 8 bytes for each half and of 16 for each quarter of it; lanes that want the same
  /// word share it (CUDA C++ Programming Guide, "Shared Memory").
  uint32_t wavefronts = 0;
  /// As many if no two words of a pass were in one bank.
  uint32_t ideal_wavefronts = 0;
};

SharedFootprint SharedFootprintOf(const WarpAccess& access);

/// Sectors of an access to local memory, where word w of lane l lies at byte 128 w + 4 l of the
/// warp's part (CUDA C++ Programming Guide, "Local Memory": neighbouring lanes, neighbouring
/// words).
uint32_t LocalSectorsOf(const WarpAccess& access);

/// Different addresses among the lanes.
uint32_t DistinctAddresses(const WarpAccess& access);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_ACCESS_FOOTPRINT_H_
