// The windows of the generic address space. Addresses of a space begin at 0, but for global memory,
// whose addresses are generic ones; cvta adds or subtracts the start of the window (§5.1,
// §9.7.9.20).
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_ADDRESS_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_ADDRESS_H_

#include <cstdint>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

inline constexpr uint64_t kWindowSize = uint64_t{1} << 32;
inline constexpr uint64_t kSharedWindow = uint64_t{0x7f00} << 32;
inline constexpr uint64_t kLocalWindow = uint64_t{0x7f01} << 32;
inline constexpr uint64_t kConstWindow = uint64_t{0x7f02} << 32;
inline constexpr uint64_t kParamWindow = uint64_t{0x7f03} << 32;
/// Function i of the module has the address kFunctionWindow + 16 * i.
inline constexpr uint64_t kFunctionWindow = uint64_t{0x7f04} << 32;
inline constexpr uint64_t kGlobalStart = uint64_t{0x7f10} << 32;

/// What is added to an address of the space to make it generic.
constexpr uint64_t WindowOf(Space space) {
  switch (space) {
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kConst:
      return kConstWindow;
    case Space::kParam:
      return kParamWindow;
    case Space::kGeneric:
    case Space::kGlobal:
      return 0;
  }
  return 0;
}

/// The space that a generic address lies in. Addresses outside all windows count as global.
constexpr Space SpaceOfGeneric(uint64_t address) {
  switch (address >> 32) {
    case kSharedWindow >> 32:
      return Space::kShared;
    case kLocalWindow >> 32:
      return Space::kLocal;
    case kConstWindow >> 32:
      return Space::kConst;
    case kParamWindow >> 32:
      return Space::kParam;
    default:
      return Space::kGlobal;
  }
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_ADDRESS_H_
