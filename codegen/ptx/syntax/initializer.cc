#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/constant.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

class InitializerParser {
 public:
  InitializerParser(ParserState& state, std::vector<uint64_t>& sizes, Variable& variable)
      : state_(state), cursor_(state.cursor), sizes_(sizes), variable_(variable) {}

  absl::Status Parse();

 private:
  absl::Status Braces(size_t dimension, uint64_t& elements);
  absl::Status Element();
  absl::Status SymbolElement(Initializer& element);
  absl::Status ByteOfSymbol(uint64_t mask, Place place, Initializer& element);
  absl::Status NumberElement(const Constant& value, Place place, Initializer& element);
  absl::StatusOr<uint64_t> Offset();
  // Elements of one that is given at a dimension.
  uint64_t RowSize(size_t dimension) const;

  ParserState& state_;
  Cursor& cursor_;
  std::vector<uint64_t>& sizes_;
  Variable& variable_;
  // By element of the initializers that are a name, the name.
  std::vector<std::pair<size_t, ForwardName>> names_;
};

uint64_t InitializerParser::RowSize(size_t dimension) const {
  uint64_t size = 1;
  for (size_t i = dimension + 1; i < sizes_.size(); ++i) {
    if (__builtin_mul_overflow(size, sizes_[i], &size)) return ~uint64_t{0};
  }
  return size;
}

absl::Status InitializerParser::Parse() {
  if (sizes_.empty()) {
    // A scalar may stand in braces.
    const bool has_braces = cursor_.Accept('{');
    HLO_INDEXING_RETURN_IF_ERROR(Element());
    if (has_braces) HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect('}', "after the initial value"));
  } else {
    uint64_t rows = 0;
    HLO_INDEXING_RETURN_IF_ERROR(Braces(0, rows));
    if (sizes_[0] == 0) sizes_[0] = rows;
  }
  for (auto& [index, use] : names_) {
    use.initializer = &variable_.initializers[index];
    state_.module_forward.push_back(use);
  }
  return absl::OkStatus();
}

// The values of one dimension; `count` is how many there are.
absl::Status InitializerParser::Braces(size_t dimension, uint64_t& count) {
  const Place place = cursor_.place();
  HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect('{', "of the initial values"));
  const uint64_t row = RowSize(dimension);
  count = 0;
  if (cursor_.Accept('}')) return absl::OkStatus();
  do {
    if (sizes_[dimension] != 0 && count == sizes_[dimension]) {
      return cursor_.Error(cursor_.place(), "more initial values than elements");
    }
    const size_t begin = variable_.initializers.size();
    if (dimension + 1 == sizes_.size()) {
      HLO_INDEXING_RETURN_IF_ERROR(Element());
    } else {
      uint64_t inner = 0;
      HLO_INDEXING_RETURN_IF_ERROR(Braces(dimension + 1, inner));
      // Zeros up to the next row, if there is one.
      if (cursor_.Is(',')) {
        const uint64_t given = variable_.initializers.size() - begin;
        HLO_INDEXING_RETURN_IF_ERROR(state_.Count(row - given, place));
        variable_.initializers.resize(begin + row);
      }
    }
    ++count;
  } while (cursor_.Accept(','));
  return cursor_.Expect('}', "after the initial values");
}

absl::Status InitializerParser::Element() {
  HLO_INDEXING_RETURN_IF_ERROR(state_.Count(1, cursor_.place()));
  Initializer element;
  const Place place = cursor_.place();
  if (cursor_.Is(TokenKind::kName) && !IsConstantStart(cursor_)) {
    HLO_INDEXING_RETURN_IF_ERROR(SymbolElement(element));
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Constant value,
                                  ParseConstant(cursor_, state_.limits.max_depth));
    if (cursor_.Is('(')) {
      HLO_INDEXING_RETURN_IF_ERROR(ByteOfSymbol(value.bits, place, element));
    } else {
      HLO_INDEXING_RETURN_IF_ERROR(NumberElement(value, place, element));
    }
  }
  variable_.initializers.push_back(element);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> InitializerParser::Offset() {
  uint64_t offset = 0;
  while (cursor_.Is('+') || cursor_.Is('-')) {
    const bool is_subtracted = cursor_.Is('-');
    cursor_.Advance();
    HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t term,
                                  ParseConstantTerm(cursor_, state_.limits.max_depth));
    offset = is_subtracted ? offset - term : offset + term;
  }
  return offset;
}

// `symbol`, `symbol+4`, `generic(symbol)+4`.
absl::Status InitializerParser::SymbolElement(Initializer& element) {
  const Place place = cursor_.place();
  Token name = cursor_.token();
  cursor_.Advance();
  if (name.text == "generic" && cursor_.Accept('(')) {
    element.is_generic = true;
    HLO_INDEXING_ASSIGN_OR_RETURN(name, cursor_.ExpectName("the name of a variable"));
    HLO_INDEXING_ASSIGN_OR_RETURN(element.bits, Offset());
    HLO_INDEXING_RETURN_IF_ERROR(cursor_.Expect(')', "after the name"));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t offset, Offset());
  element.bits += offset;
  if (IsFloat(variable_.type) || (element.byte_of_address < 0 && BitWidth(variable_.type) < 32)) {
    return cursor_.Error(place, Concat({"an address as the initial value of type ",
                                        QuotedDotted(NameOf(variable_.type))}));
  }
  ForwardName use;
  use.name = name.text;
  use.place = name.place;
  names_.emplace_back(variable_.initializers.size(), use);
  return absl::OkStatus();
}

// `0xFF00(symbol)`, whose mask was read.
absl::Status InitializerParser::ByteOfSymbol(uint64_t mask, Place place, Initializer& element) {
  for (int8_t byte = 0; byte < 8; ++byte) {
    if (mask == uint64_t{0xFF} << (8 * byte)) element.byte_of_address = byte;
  }
  if (element.byte_of_address < 0 || BitWidth(variable_.type) != 8) {
    return cursor_.Error(place, "a mask of an address is one byte of it, in elements of 8 bits");
  }
  cursor_.Advance();
  if (!cursor_.Is(TokenKind::kName)) return cursor_.Unexpected("the name of a variable");
  HLO_INDEXING_RETURN_IF_ERROR(SymbolElement(element));
  return cursor_.Expect(')', "after the name");
}

absl::Status InitializerParser::NumberElement(const Constant& value, Place place,
                                              Initializer& element) {
  const Type type = variable_.type;
  const int width = BitWidth(type);
  uint64_t bits = value.bits;
  if (IsFloat(type) && type != Type::kF32 && type != Type::kF64) {
    return cursor_.Error(place, Concat({"an initial value of type ", QuotedDotted(NameOf(type)),
                                        "; give the bits of a .b", std::to_string(width)}));
  }
  if (value.is_float && type == Type::kF32 && !value.is_single) {
    bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else if (value.is_float && type == Type::kF64 && value.is_single) {
    bits = std::bit_cast<uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
  } else if (value.is_float && (type == Type::kF32 || type == Type::kF64)) {
    // The bits are those of the type.
  } else if (value.is_float && width != (value.is_single ? 32 : 64)) {
    return cursor_.Error(place, Concat({"a floating-point number as the initial value of type ",
                                        QuotedDotted(NameOf(type))}));
  } else if (!value.is_float && type == Type::kF64) {
    bits = std::bit_cast<uint64_t>(value.is_unsigned
                                       ? static_cast<double>(bits)
                                       : static_cast<double>(static_cast<int64_t>(bits)));
  } else if (!value.is_float && type == Type::kF32) {
    bits =
        std::bit_cast<uint32_t>(value.is_unsigned ? static_cast<float>(bits)
                                                  : static_cast<float>(static_cast<int64_t>(bits)));
  }
  element.bits = width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits;
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseInitializers(ParserState& state, std::vector<uint64_t>& sizes,
                               Variable& variable) {
  return InitializerParser(state, sizes, variable).Parse();
}

}  // namespace hlo_indexing::ptx::syntax
