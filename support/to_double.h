// Numbers of any size as floating-point numbers.
#ifndef HLO_INDEXING_SUPPORT_TO_DOUBLE_H_
#define HLO_INDEXING_SUPPORT_TO_DOUBLE_H_

#include <cstdint>

#include "llvm/ADT/DynamicAPInt.h"

namespace hlo_indexing::support {

/// Nearly the number; infinity beyond the largest double.
/// Example: 2^70 -> 1180591620717411303424.0
inline double ToDouble(const llvm::DynamicAPInt& number) {
  constexpr int64_t kPart = int64_t{1} << 62;
  if (number > -kPart && number < kPart) {
    return static_cast<double>(static_cast<int64_t>(number));
  }
  const llvm::DynamicAPInt high = llvm::floorDiv(number, llvm::DynamicAPInt(kPart));
  const llvm::DynamicAPInt low = number - high * kPart;
  return ToDouble(high) * static_cast<double>(kPart) +
         static_cast<double>(static_cast<int64_t>(low));
}

/// Nearly a / b of numbers from 0 on, also where these are beyond the largest double; b is not 0.
/// Example: 2^3000 / 2^2999 -> 2.0
inline double RatioOf(llvm::DynamicAPInt a, llvm::DynamicAPInt b) {
  constexpr int64_t kPart = int64_t{1} << 62;
  if (b <= kPart) return ToDouble(a) / ToDouble(b);
  const llvm::DynamicAPInt part(kPart);
  const llvm::DynamicAPInt most = part * part * part * part;
  while (b > most) {
    a = llvm::floorDiv(a, part);
    b = llvm::floorDiv(b, part);
  }
  return ToDouble(a) / ToDouble(b);
}

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_TO_DOUBLE_H_
