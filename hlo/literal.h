// Literals: the values of constants.
#ifndef HLO_INDEXING_HLO_LITERAL_H_
#define HLO_INDEXING_HLO_LITERAL_H_

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include "hlo/shape.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// The value of an array or a tuple; immutable, owned by a module. Array elements stand in
/// row-major order of the logical index, whatever the layout; each takes whole bytes, least
/// significant first, a complex number its real part first.
class Literal {
 public:
  /// An array with these element bytes, or elided: written `{...}`, its values not given.
  Literal(const Shape* shape, llvm::ArrayRef<uint8_t> bytes, bool elided)
      : shape_(shape), bytes_(bytes), elided_(elided) {}
  Literal(const Shape* shape, llvm::ArrayRef<const Literal*> elements)
      : shape_(shape), elements_(elements) {}

  const Shape& shape() const { return *shape_; }
  /// Whether the values are unknown; a tuple is not elided, its elements may be.
  bool is_elided() const { return elided_; }
  /// Tuples: the elements.
  llvm::ArrayRef<const Literal*> elements() const { return elements_; }
  llvm::ArrayRef<uint8_t> bytes() const { return bytes_; }

  /// The value of element `index` of an integer or pred array; nullopt if it is elided, of another
  /// class, or a u64 beyond int64.
  std::optional<int64_t> GetInteger(int64_t index) const;
  /// The element as text that parses back to the same bits.
  /// Example: "-1.5", "nan", "(1, 0)"
  std::string ElementText(int64_t index) const;
  /// The literal as it stands in `constant(...)`.
  /// Example: "{{1, 2}, {3, 4}}"
  std::string ToString() const;
  /// For people: an array of more than 1,000 elements shows the first and the last three of each
  /// dimension that has more than six, as NumPy prints it. An abbreviated text does not parse.
  /// Example: s32[2000] -> "{0, 1, 2, ..., 1997, 1998, 1999}"
  std::string ToAbbreviatedString(int64_t most_elements = 1000) const;

 private:
  const Shape* shape_;
  llvm::ArrayRef<uint8_t> bytes_;
  llvm::ArrayRef<const Literal*> elements_;
  bool elided_ = false;
};

/// Bytes of one element in a Literal.
/// Example: kS4 -> 1, kC64 -> 8
int64_t LiteralBytesPerElement(ElementType type);

/// Appends the bytes of the element that `text` writes in a type that is not complex: true,
/// -1, 1.5, -inf, nan(0x12). Returns what is wrong if the type does not have that value.
std::optional<std::string> ParseElement(ElementType type, llvm::StringRef text,
                                        llvm::SmallVectorImpl<uint8_t>& bytes);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_LITERAL_H_
