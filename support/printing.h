// One way to write a value as text: its member `Print(llvm::raw_ostream&)`. All other ways follow.
//
// A namespace whose types have that member opens this to them, and to gtest, by
//     using support::operator<<;
//     using support::PrintTo;
// after which `out << sum` works, and a failing `EXPECT_EQ(sum, other)` shows both as text.
#ifndef HLO_INDEXING_SUPPORT_PRINTING_H_
#define HLO_INDEXING_SUPPORT_PRINTING_H_

#include <concepts>
#include <iosfwd>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class raw_ostream;
}  // namespace llvm

namespace hlo_indexing::support {

namespace internal {

using PrintFunction = llvm::function_ref<void(llvm::raw_ostream&)>;

std::string TextOf(PrintFunction print);
void PrintToStream(PrintFunction print, std::ostream& out);

}  // namespace internal

/// A type with a member `void Print(llvm::raw_ostream&) const`, which writes no end of line.
template <typename T>
concept Printable = requires(const T& value, llvm::raw_ostream& out) {
  { value.Print(out) } -> std::same_as<void>;
};

/// What `value.Print` writes. Example: ToString(Interval{0, 4}) -> "[0, 4]"
template <Printable T>
std::string ToString(const T& value) {
  return internal::TextOf([&](llvm::raw_ostream& out) { value.Print(out); });
}

template <Printable T>
llvm::raw_ostream& operator<<(llvm::raw_ostream& out, const T& value) {
  value.Print(out);
  return out;
}

/// What gtest calls to show a value in a failure.
template <Printable T>
void PrintTo(const T& value, std::ostream* out) {
  internal::PrintToStream([&](llvm::raw_ostream& text) { value.Print(text); }, *out);
}

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_PRINTING_H_
