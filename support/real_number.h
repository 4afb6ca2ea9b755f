// Real numbers in texts, rounded once to a format.
#ifndef HLO_INDEXING_SUPPORT_REAL_NUMBER_H_
#define HLO_INDEXING_SUPPORT_REAL_NUMBER_H_

#include <optional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::support {

/// A value, and what became of it: llvm::APFloat::opOverflow, opInexact and so on.
struct RoundedNumber {
  llvm::APFloat value;
  unsigned status;
};

/// The number that `text` says, in decimal or in hexadecimal with an exponent, rounded to the
/// nearest value of the format, ties to even. Any number of digits. Nullopt if it is no number, or
/// a hexadecimal one of more than 16,384 characters. Example: "-1.5e3", IEEEsingle -> -1500
std::optional<RoundedNumber> ParseReal(llvm::StringRef text, const llvm::fltSemantics& semantics);

/// The same as a double; nullopt too for what is beyond the largest double.
std::optional<double> ParseDouble(llvm::StringRef text);

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_REAL_NUMBER_H_
