#include "hlo/literal.h"

#include <charconv>
#include <limits>

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "support/diagnostics.h"
#include "support/real_number.h"

namespace hlo_indexing::hlo {
namespace {

void AppendBits(uint64_t bits, ElementType type, llvm::SmallVectorImpl<uint8_t>& bytes) {
  for (int64_t i = 0; i < LiteralBytesPerElement(type); ++i) {
    bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
}

uint64_t BitsAt(llvm::ArrayRef<uint8_t> bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) bits |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return bits;
}

std::string OutOfRange(llvm::StringRef text, ElementType type) {
  return "value " + support::Quotable(text) + " is out of range for " + ElementTypeName(type).str();
}

std::optional<std::string> ParseInteger(ElementType type, llvm::StringRef text,
                                        llvm::SmallVectorImpl<uint8_t>& bytes) {
  const unsigned bits = static_cast<unsigned>(ElementBits(type));
  const bool digits = llvm::all_of(text.starts_with("-") ? text.drop_front() : text, llvm::isDigit);
  if (!digits || text.empty() || text == "-") {
    return "expected an integer for " + ElementTypeName(type).str();
  }
  if (ClassOf(type) == ElementClass::kUnsigned) {
    uint64_t value = 0;
    int64_t negative = 0;
    if (bits == 64 && text.starts_with("-") && !text.getAsInteger(10, negative)) {
      // Negative numbers stand for their two's complement, as in XLA.
      value = static_cast<uint64_t>(negative);
    } else if (text.getAsInteger(10, value) || !llvm::isUIntN(bits, value)) {
      return OutOfRange(text, type);
    }
    AppendBits(value, type, bytes);
    return std::nullopt;
  }
  int64_t value = 0;
  const bool fits = !text.getAsInteger(10, value) && llvm::isIntN(bits, value);
  if (!fits) return OutOfRange(text, type);
  AppendBits(static_cast<uint64_t>(value), type, bytes);
  return std::nullopt;
}

std::optional<std::string> ParseNan(ElementType type, llvm::StringRef text, bool negative,
                                    llvm::SmallVectorImpl<uint8_t>& bytes) {
  uint64_t payload = 0;
  const bool has_payload = text.consume_front("(0x");
  if (has_payload && (!text.consume_back(")") || text.getAsInteger(16, payload))) {
    return std::string("malformed nan payload");
  }
  if (!llvm::APFloat::semanticsHasNaN(*FloatSemantics(type))) {
    return ElementTypeName(type).str() + " has no nan";
  }
  const llvm::fltSemantics& semantics = *FloatSemantics(type);
  uint64_t bits = llvm::APFloat::getQNaN(semantics, negative).bitcastToAPInt().getZExtValue();
  if (has_payload) {
    // With infinities, every mantissa but 0 is a nan; without, there is only one.
    const uint64_t mantissa =
        (uint64_t{1} << (llvm::APFloat::semanticsPrecision(semantics) - 1)) - 1;
    const bool any = llvm::APFloat::semanticsHasInf(semantics);
    if (payload == 0 || payload > mantissa || (!any && payload != (bits & mantissa))) {
      return "there is no nan with this payload in " + ElementTypeName(type).str();
    }
    bits = (bits & ~mantissa) | payload;
  }
  AppendBits(bits, type, bytes);
  return std::nullopt;
}

// Whether a number is within the finite values of a type; types without infinities would take the
// nearest one instead. `text` is known to be a number.
bool HasFiniteValue(const llvm::fltSemantics& semantics, llvm::StringRef text) {
  if (llvm::APFloat::semanticsHasInf(semantics)) return true;
  const std::optional<double> value = support::ParseDouble(text);
  if (!value) return false;
  const auto limit = [](llvm::APFloat end) {
    bool loses_info = false;
    end.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses_info);
    return end.convertToDouble();
  };
  if (*value > limit(llvm::APFloat::getLargest(semantics))) return false;
  return llvm::APFloat::semanticsHasSignedRepr(semantics)
             ? *value >= limit(llvm::APFloat::getLargest(semantics, /*Negative=*/true))
             : *value > 0;
}

std::optional<std::string> ParseFloat(ElementType type, llvm::StringRef text,
                                      llvm::SmallVectorImpl<uint8_t>& bytes) {
  llvm::StringRef magnitude = text;
  const bool negative = magnitude.consume_front("-");
  if (magnitude.consume_front("nan")) return ParseNan(type, magnitude, negative, bytes);
  const llvm::fltSemantics& semantics = *FloatSemantics(type);
  llvm::APFloat value(semantics);
  if (magnitude == "inf") {
    if (!llvm::APFloat::semanticsHasInf(semantics)) {
      return ElementTypeName(type).str() + " has no infinity";
    }
    value = llvm::APFloat::getInf(semantics, negative);
  } else {
    const bool starts = !magnitude.empty() && (llvm::isDigit(magnitude[0]) || magnitude[0] == '.');
    if (!starts) return "expected a number for " + ElementTypeName(type).str();
    std::optional<support::RoundedNumber> number = support::ParseReal(text, semantics);
    if (!number) return "expected a number for " + ElementTypeName(type).str();
    if ((number->status & llvm::APFloat::opOverflow) != 0 || !HasFiniteValue(semantics, text)) {
      return OutOfRange(text, type);
    }
    value = std::move(number->value);
  }
  AppendBits(value.bitcastToAPInt().getZExtValue(), type, bytes);
  return std::nullopt;
}

std::string FloatText(ElementType type, uint64_t bits) {
  const llvm::fltSemantics& semantics = *FloatSemantics(type);
  const llvm::APFloat value(semantics, llvm::APInt(static_cast<unsigned>(ElementBits(type)), bits));
  const std::string sign = value.isNegative() ? "-" : "";
  if (value.isInfinity()) return sign + "inf";
  if (value.isNaN()) {
    const llvm::APFloat plain = llvm::APFloat::getQNaN(semantics, value.isNegative());
    if (plain.bitwiseIsEqual(value)) return sign + "nan";
    const unsigned mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
    const uint64_t payload = bits & ((uint64_t{1} << mantissa) - 1);
    return sign + "nan(0x" + llvm::utohexstr(payload, /*LowerCase=*/true) + ")";
  }
  char buffer[64];
  std::to_chars_result end = {};
  if (type == ElementType::kF32) {
    end = std::to_chars(buffer, std::end(buffer), value.convertToFloat());
  } else {
    llvm::APFloat wide = value;
    bool loses_info = false;
    wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses_info);
    end = std::to_chars(buffer, std::end(buffer), wide.convertToDouble());
  }
  return std::string(buffer, end.ptr);
}

// Writes arrays in nested braces, one level per dimension. Longer dimensions than twice `edge` show
// that many elements at each end.
class ArrayWriter {
 public:
  ArrayWriter(const Literal& literal, int64_t edge, std::string& out)
      : literal_(literal), edge_(edge), out_(out) {}

  void Write() {
    const Shape& shape = literal_.shape();
    WriteDimensions(0, 0, shape.num_elements());
  }

 private:
  // The dimensions from `dimension` on of the `count` elements that begin with `first`.
  void WriteDimensions(int64_t dimension, int64_t first, int64_t count) {
    const Shape& shape = literal_.shape();
    if (dimension == shape.rank()) {
      out_ += literal_.ElementText(first);
      return;
    }
    out_ += '{';
    const int64_t size = count == 0 ? 0 : shape.sizes()[static_cast<size_t>(dimension)];
    for (int64_t i = 0; i < size; ++i) {
      if (i != 0) out_ += ", ";
      if (i == edge_ && size - i > edge_) {
        out_ += "..., ";
        i = size - edge_;
      }
      WriteDimensions(dimension + 1, first + i * (count / size), count / size);
    }
    out_ += '}';
  }

  const Literal& literal_;
  int64_t edge_;
  std::string& out_;
};

std::string LiteralText(const Literal& literal, int64_t most_elements) {
  if (literal.is_elided()) return "{...}";
  std::string result;
  if (literal.shape().IsTuple()) {
    result += "(";
    for (size_t i = 0; i < literal.elements().size(); ++i) {
      if (i != 0) result += ", ";
      result += LiteralText(*literal.elements()[i], most_elements);
    }
    return result + ")";
  }
  constexpr int64_t kEdge = 3;
  const bool is_whole = literal.shape().num_elements() <= most_elements;
  ArrayWriter(literal, is_whole ? std::numeric_limits<int64_t>::max() : kEdge, result).Write();
  return result;
}

}  // namespace

int64_t LiteralBytesPerElement(ElementType type) { return DefaultStorageBits(type) / 8; }

std::optional<std::string> ParseElement(ElementType type, llvm::StringRef text,
                                        llvm::SmallVectorImpl<uint8_t>& bytes) {
  switch (ClassOf(type)) {
    case ElementClass::kPredicate:
      if (text != "true" && text != "false" && text != "1" && text != "0") {
        return std::string("expected true, false, 1 or 0 for pred");
      }
      bytes.push_back(text == "true" || text == "1" ? 1 : 0);
      return std::nullopt;
    case ElementClass::kSigned:
    case ElementClass::kUnsigned:
      return ParseInteger(type, text, bytes);
    case ElementClass::kFloat:
      return ParseFloat(type, text, bytes);
    default:
      return "a literal cannot have the element type " + ElementTypeName(type).str();
  }
}

std::optional<int64_t> Literal::GetInteger(int64_t index) const {
  const ElementType type = shape_->element_type();
  const ElementClass element_class = ClassOf(type);
  const bool integral = IsIntegral(type) || element_class == ElementClass::kPredicate;
  const size_t size = static_cast<size_t>(LiteralBytesPerElement(type));
  if (elided_ || !integral || (static_cast<size_t>(index) + 1) * size > bytes_.size()) {
    return std::nullopt;
  }
  const uint64_t bits = BitsAt(bytes_.slice(static_cast<size_t>(index) * size, size));
  if (element_class == ElementClass::kSigned) {
    return llvm::APInt(static_cast<unsigned>(size * 8), bits).getSExtValue();
  }
  if (bits > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(bits);
}

std::string Literal::ElementText(int64_t index) const {
  const ElementType type = shape_->element_type();
  const size_t size = static_cast<size_t>(LiteralBytesPerElement(type));
  const llvm::ArrayRef<uint8_t> bytes = bytes_.slice(static_cast<size_t>(index) * size, size);
  switch (ClassOf(type)) {
    case ElementClass::kPredicate:
      return bytes[0] != 0 ? "true" : "false";
    case ElementClass::kSigned:
      return std::to_string(
          llvm::APInt(static_cast<unsigned>(size * 8), BitsAt(bytes)).getSExtValue());
    case ElementClass::kUnsigned:
      return std::to_string(BitsAt(bytes));
    case ElementClass::kComplex: {
      const ElementType part = RealPartType(type);
      return "(" + FloatText(part, BitsAt(bytes.take_front(size / 2))) + ", " +
             FloatText(part, BitsAt(bytes.drop_front(size / 2))) + ")";
    }
    default:
      return FloatText(type, BitsAt(bytes));
  }
}

std::string Literal::ToString() const {
  return LiteralText(*this, std::numeric_limits<int64_t>::max());
}

std::string Literal::ToAbbreviatedString(int64_t most_elements) const {
  return LiteralText(*this, most_elements);
}

}  // namespace hlo_indexing::hlo
