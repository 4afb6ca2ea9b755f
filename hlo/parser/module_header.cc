#include "hlo/parser/module_header.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "hlo/module.h"
#include "hlo/shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {
namespace {

using llvm::StringRef;

// Reads the value of an attribute of the header once more, now that the entry is known.
class HeaderChecker {
 public:
  HeaderChecker(ParseState& state, StringRef value)
      : state_(state), whole_text_(state.cursor), entry_(state.module.entry()) {
    const auto begin = static_cast<size_t>(value.begin() - state.source.text.begin());
    state_.cursor = TextCursor(state.source.text, begin, begin + value.size());
  }
  ~HeaderChecker() { state_.cursor = whole_text_; }
  HeaderChecker(const HeaderChecker&) = delete;
  HeaderChecker& operator=(const HeaderChecker&) = delete;

  // {(shape, ...)->shape}
  bool CheckEntryLayout() {
    if (!Expect("{") || !Expect("(")) return false;
    const size_t num_parameters = entry_.parameters().size();
    const std::string all = "the shapes of the entry's " + std::to_string(num_parameters) +
                            (num_parameters == 1 ? " parameter" : " parameters");
    for (size_t i = 0; i < num_parameters; ++i) {
      const bool has_more = i == 0 ? state_.cursor.Peek() != ')' : state_.cursor.ConsumeIf(',');
      if (!has_more) return state_.Fail("expected " + all);
      const std::string what = "parameter " + std::to_string(i) + " of the entry has shape ";
      if (!CheckShape(what, entry_.parameters()[i]->shape())) return false;
    }
    if (!state_.cursor.ConsumeIf(')')) return state_.Fail("expected ')' after " + all);
    return Expect("->") && CheckShape("the entry's result has shape ", entry_.root().shape()) &&
           ExpectEnd();
  }

  // { {output}: (parameter, {part of it}, kind), ... }, where all but the number may be missing
  bool CheckAliases() {
    if (!Expect("{")) return false;
    if (state_.cursor.ConsumeIf('}')) return true;
    llvm::SmallVector<llvm::SmallVector<int64_t, 2>, 4> outputs;
    do {
      const size_t offset = state_.cursor.Offset();
      auto& output = outputs.emplace_back();
      if (!CheckIndex("the entry's result", entry_.root().shape(), output)) return false;
      if (llvm::is_contained(llvm::ArrayRef(outputs).drop_back(), output)) {
        return state_.FailAt(offset, "input_output_alias has this output twice");
      }
      if (!Expect(":") || !CheckAlias()) return false;
    } while (state_.cursor.ConsumeIf(','));
    return ExpectEnd();
  }

 private:
  bool Expect(StringRef token) {
    return state_.cursor.ConsumeIf(token) || state_.Fail("expected '" + token.str() + "'");
  }
  bool ExpectEnd() {
    if (!Expect("}")) return false;
    return state_.cursor.AtEnd() || state_.Fail("expected nothing behind the closing bracket");
  }

  bool CheckShape(const std::string& what, const Shape& shape) {
    const size_t offset = state_.cursor.Offset();
    const Shape* said = ParseShape(state_);
    if (said == nullptr) return false;
    return Compatible(*said, shape, ShapeAspects::kTypeAndDimensions) ||
           state_.FailAt(offset, what + shape.ToString() + ", the header says " + said->ToString());
  }

  // {2,0} of a tuple whose element 2 is one
  bool CheckIndex(const char* what, const Shape& shape, llvm::SmallVectorImpl<int64_t>& index) {
    if (!Expect("{")) return false;
    const Shape* part = &shape;
    while (!state_.cursor.ConsumeIf('}')) {
      if (!index.empty() && !Expect(",")) return false;
      const size_t offset = state_.cursor.Offset();
      const std::optional<int64_t> number = state_.cursor.ConsumeInteger();
      if (!number) return state_.Fail("expected the number of an element of a tuple");
      const bool is_there = part->IsTuple() && *number >= 0 &&
                            *number < static_cast<int64_t>(part->elements().size());
      if (!is_there) {
        return state_.FailAt(offset, std::string(what) + " has no element " +
                                         std::to_string(*number) + " there: it is " +
                                         shape.ToString());
      }
      part = part->elements()[static_cast<size_t>(*number)];
      index.push_back(*number);
    }
    return true;
  }

  // 0, or (0, {}), or (0, {}, must-alias)
  bool CheckAlias() {
    const bool has_brackets = state_.cursor.ConsumeIf('(');
    const size_t offset = state_.cursor.Offset();
    const std::optional<int64_t> number = state_.cursor.ConsumeInteger();
    if (!number) return state_.Fail("expected the number of a parameter");
    if (*number < 0 || *number >= static_cast<int64_t>(entry_.parameters().size())) {
      return state_.FailAt(offset, "the entry has no parameter " + std::to_string(*number));
    }
    if (!has_brackets) return true;
    llvm::SmallVector<int64_t, 2> index;
    const Shape& shape = entry_.parameters()[static_cast<size_t>(*number)]->shape();
    if (!Expect(",") || !CheckIndex("the parameter", shape, index)) return false;
    if (state_.cursor.ConsumeIf(',')) {
      const size_t kind_offset = state_.cursor.Offset();
      const StringRef kind = state_.cursor.ConsumeWord();
      if (kind != "may-alias" && kind != "must-alias") {
        return state_.FailAt(kind_offset, "expected may-alias or must-alias");
      }
    }
    return Expect(")");
  }

  ParseState& state_;
  const TextCursor whole_text_;
  const Computation& entry_;
};

}  // namespace

bool CheckHeader(ParseState& state) {
  for (const Attribute& attribute : state.module.attributes()) {
    const StringRef value = std::get<RawText>(attribute.value).text;
    if (attribute.text == "entry_computation_layout") {
      if (!HeaderChecker(state, value).CheckEntryLayout()) return false;
    } else if (attribute.text == "input_output_alias") {
      if (!HeaderChecker(state, value).CheckAliases()) return false;
    }
  }
  return true;
}

}  // namespace hlo_indexing::hlo
