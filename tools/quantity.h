// Numbers as people read them.
#ifndef HLO_INDEXING_TOOLS_QUANTITY_H_
#define HLO_INDEXING_TOOLS_QUANTITY_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// All digits. Example: "12345678901234567890"
std::string Digits(const llvm::DynamicAPInt& number);
/// With a comma between groups of three. Example: 16384 -> "16,384"
std::string WithCommas(int64_t number);
/// Up to 9,999 exact, then three digits with a decimal unit, or with an exponent if there is none.
/// Example: 537919488 -> "538 MB"
std::string Bytes(const llvm::DynamicAPInt& bytes);
/// Three digits with a unit. Example: 0.00412 -> "4.12 ns", 1812.3 -> "1.81 ms"
std::string Microseconds(double microseconds);
/// Rounded down, so that 100% is all of it. Example: 0.999 -> "99%"
std::string Percent(double share);
/// Three digits and an exponent, as far as these go. Example: 6.28e+44
std::string Scientific(double number);
/// One digit behind the point. Example: 32 -> "32.0"
std::string OneDecimal(double number);
/// "kernel", 1 -> "1 kernel"; 2 -> "2 kernels"
std::string Counted(int64_t number, llvm::StringRef noun);
std::string Counted(int64_t number, llvm::StringRef singular, llvm::StringRef plural);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_QUANTITY_H_
