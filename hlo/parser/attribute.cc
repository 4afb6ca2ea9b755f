// Attributes in HLO text: one function per kind of value.
#include "hlo/parser/state.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "support/real_number.h"

namespace hlo_indexing::hlo {
namespace {

// The keywords that an attribute may have; none if others may come, or if more than the name
// decides.
llvm::ArrayRef<llvm::StringRef> KeywordsOf(AttributeName name) {
  static constexpr llvm::StringRef kDistributions[] = {"rng_uniform", "rng_normal"};
  static constexpr llvm::StringRef kPrecisions[] = {"default", "high", "highest", "packed_nibble"};
  static constexpr llvm::StringRef kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  switch (name) {
    case AttributeName::kDistribution:
      return kDistributions;
    case AttributeName::kOperandPrecision:
      return kPrecisions;
    case AttributeName::kTransposeA:
      return kTransposes;
    default:
      return {};
  }
}

class AttributeParser {
 public:
  AttributeParser(ParseState& state, NameResolver& resolver, Attribute& attribute,
                  llvm::SmallVectorImpl<PendingComputation>& pending)
      : state_(state), resolver_(resolver), attribute_(attribute), pending_(pending) {}

  bool Parse() {
    attribute_.offset = static_cast<uint32_t>(state_.cursor.Offset());
    attribute_.text = state_.cursor.ConsumeWord();
    if (attribute_.text.empty()) return state_.Fail("expected an attribute name");
    attribute_.name = ParseAttributeName(attribute_.text);
    return state_.Expect('=', "after the attribute name") && ParseValue(KindOf(attribute_.name));
  }

 private:
  bool ParseValue(AttributeKind kind) {
    switch (kind) {
      case AttributeKind::kInteger:
        return ParseIntegerValue();
      case AttributeKind::kBoolean:
        return ParseBooleanValue();
      case AttributeKind::kReal:
        return ParseRealValue();
      case AttributeKind::kString:
        return ParseStringValue();
      case AttributeKind::kKeyword:
        return ParseKeywordValue();
      case AttributeKind::kIntegers:
        return ParseIntegersValue();
      case AttributeKind::kIntegerLists:
        return ParseIntegerListsValue();
      case AttributeKind::kIntegersOrLists:
        return AtNestedList() ? ParseIntegerListsValue() : ParseIntegersValue();
      case AttributeKind::kBooleans:
        return ParseList<bool>([this](bool& value) { return ParseBoolean(value); });
      case AttributeKind::kKeywords:
        return ParseList<Keyword>([this](Keyword& value) { return ParseKeyword(value); });
      case AttributeKind::kSliceRanges:
        return ParseList<SliceRange>([this](SliceRange& value) { return ParseSliceRange(value); });
      case AttributeKind::kPadding:
        return ParsePaddingValue();
      case AttributeKind::kWindow:
        return ParseWindowValue();
      case AttributeKind::kConvolutionDimensions:
        return ParseConvolutionValue();
      case AttributeKind::kReplicaGroups:
        return ParseReplicaGroupsValue();
      case AttributeKind::kShape:
        return ParseShapeValue();
      case AttributeKind::kShapes:
        return ParseList<const Shape*>([this](const Shape*& value) {
          value = ParseShape(state_);
          return value != nullptr;
        });
      case AttributeKind::kLiteral:
        return ParseLiteralValue();
      case AttributeKind::kComputation:
        return ParseComputationValue();
      case AttributeKind::kComputations:
        return ParseList<const Computation*>(
            [this](const Computation*& value) { return ParseComputation(value); });
      case AttributeKind::kInstructions:
        return ParseList<const Instruction*>(
            [this](const Instruction*& value) { return ParseInstruction(value); });
      case AttributeKind::kText:
        return ParseText();
    }
    return false;
  }

  // {a, b, ...}
  template <typename T, typename ParseElement>
  bool ParseElements(llvm::SmallVectorImpl<T>& values, ParseElement parse_element) {
    if (!state_.Expect('{', "to open the list")) return false;
    if (state_.cursor.ConsumeIf('}')) return true;
    do {
      if (state_.MustStop() || !parse_element(values.emplace_back())) return false;
    } while (state_.cursor.ConsumeIf(','));
    return state_.Expect('}', "to close the list");
  }

  template <typename T, typename ParseElement>
  bool ParseList(ParseElement parse_element) {
    llvm::SmallVector<T, 6> values;
    if (!ParseElements(values, parse_element)) return false;
    attribute_.value = llvm::ArrayRef<T>(state_.module.Copy(llvm::ArrayRef<T>(values)));
    return true;
  }

  llvm::ArrayRef<int64_t> Copy(llvm::ArrayRef<int64_t> values) {
    return state_.module.Copy(values);
  }

  bool ParseInteger(int64_t& value) {
    const std::optional<int64_t> integer = state_.cursor.ConsumeInteger();
    if (!integer) return state_.Fail("expected an integer of 64 bits");
    value = *integer;
    return true;
  }

  bool ParseIntegerValue() {
    int64_t value = 0;
    if (!ParseInteger(value)) return false;
    attribute_.value.emplace<int64_t>(value);
    return true;
  }

  bool ParseBoolean(bool& value) {
    const size_t offset = state_.cursor.Offset();
    const llvm::StringRef word = state_.cursor.ConsumeWord();
    value = word == "true";
    if (value || word == "false") return true;
    return state_.FailAt(offset, "expected true or false");
  }

  bool ParseBooleanValue() {
    bool value = false;
    if (!ParseBoolean(value)) return false;
    attribute_.value.emplace<bool>(value);
    return true;
  }

  bool ParseRealValue() {
    const size_t offset = state_.cursor.Offset();
    const std::optional<llvm::StringRef> text = state_.cursor.ConsumeBalanced();
    const std::optional<double> value = text ? support::ParseDouble(*text) : std::nullopt;
    if (!value) return state_.FailAt(offset, "expected a number");
    attribute_.value.emplace<double>(*value);
    return true;
  }

  bool ParseStringValue() {
    const std::optional<llvm::StringRef> text = state_.cursor.ConsumeString();
    if (!text) return state_.Fail("expected a string in quotes");
    attribute_.value = QuotedString{*text};
    return true;
  }

  bool ParseKeyword(Keyword& value) {
    const size_t offset = state_.cursor.Offset();
    value.text = state_.cursor.ConsumeWord();
    if (value.text.empty()) return state_.Fail("expected a keyword");
    const llvm::ArrayRef<llvm::StringRef> known = KeywordsOf(attribute_.name);
    if (known.empty() || llvm::is_contained(known, value.text)) return true;
    return state_.FailAt(offset, "expected " + llvm::join(known, ", ") + ", not '" +
                                     support::Quotable(value.text) + "'");
  }

  bool ParseKeywordValue() {
    Keyword keyword;
    if (!ParseKeyword(keyword)) return false;
    attribute_.value = keyword;
    return true;
  }

  bool ParseIntegerList(llvm::ArrayRef<int64_t>& list) {
    llvm::SmallVector<int64_t, 8> values;
    if (!ParseElements(values, [this](int64_t& value) { return ParseInteger(value); })) {
      return false;
    }
    list = Copy(values);
    return true;
  }

  // {0,1}
  bool ParseIntegersValue() {
    llvm::ArrayRef<int64_t> list;
    if (!ParseIntegerList(list)) return false;
    attribute_.value = list;
    return true;
  }

  // {{0,1},{2}}
  bool ParseIntegerListsValue() {
    return ParseList<llvm::ArrayRef<int64_t>>(
        [this](llvm::ArrayRef<int64_t>& list) { return ParseIntegerList(list); });
  }

  bool AtNestedList() {
    const size_t offset = state_.cursor.Offset();
    const bool nested = state_.cursor.ConsumeIf('{') && state_.cursor.Peek() == '{';
    state_.cursor.SetOffset(offset);
    return nested;
  }

  // [start:limit] or [start:limit:stride]
  bool ParseSliceRange(SliceRange& range) {
    if (!state_.Expect('[', "to open a slice range") || !ParseInteger(range.start) ||
        !state_.Expect(':', "in the slice range") || !ParseInteger(range.limit)) {
      return false;
    }
    if (state_.cursor.ConsumeIf(':') && !ParseInteger(range.stride)) return false;
    return state_.Expect(']', "to close the slice range");
  }

  // A word such as 1_2x3_4, cut at every `x` and each piece at every `_` into integers.
  bool ParseSeparated(llvm::StringRef what,
                      llvm::SmallVectorImpl<llvm::SmallVector<int64_t, 3>>& lists) {
    const size_t offset = state_.cursor.Offset();
    llvm::StringRef word = state_.cursor.ConsumeWord();
    llvm::SmallVector<llvm::StringRef, 6> pieces;
    word.split(pieces, 'x');
    for (const llvm::StringRef piece : pieces) {
      llvm::SmallVector<llvm::StringRef, 3> numbers;
      piece.split(numbers, '_');
      llvm::SmallVector<int64_t, 3>& list = lists.emplace_back();
      for (const llvm::StringRef number : numbers) {
        if (number.getAsInteger(10, list.emplace_back())) {
          return state_.FailAt(
              offset, "expected " + what.str() + ", not '" + support::Quotable(word) + "'");
        }
      }
    }
    return true;
  }

  bool ParsePaddingValue() {
    // The padding of a scalar has no dimension at all: nothing stands on the line.
    const llvm::StringRef rest = state_.cursor.Rest().ltrim(" \t");
    if (rest.empty() || !TextCursor::IsWordCharacter(rest.front())) {
      attribute_.value = llvm::ArrayRef<PaddingDimension>();
      return true;
    }
    const size_t offset = state_.cursor.Offset();
    llvm::SmallVector<llvm::SmallVector<int64_t, 3>, 6> lists;
    if (!ParseSeparated("a padding such as 1_2x0_0_1", lists)) return false;
    llvm::SmallVector<PaddingDimension, 6> dimensions;
    for (const auto& list : lists) {
      if (list.size() != 2 && list.size() != 3) {
        return state_.FailAt(offset, "a padding needs low_high or low_high_interior");
      }
      dimensions.push_back({list[0], list[1], list.size() == 3 ? list[2] : 0});
      if (dimensions.back().interior < 0) {
        return state_.FailAt(offset, "interior padding cannot be negative");
      }
    }
    attribute_.value = llvm::ArrayRef<PaddingDimension>(
        state_.module.Copy(llvm::ArrayRef<PaddingDimension>(dimensions)));
    return true;
  }

  // size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1
  bool ParseWindowValue() {
    if (!state_.Expect('{', "to open the window")) return false;
    llvm::SmallVector<WindowDimension, 4> dimensions;
    llvm::SmallVector<llvm::StringRef, 6> fields;
    const size_t begin = state_.cursor.Offset();
    while (!state_.cursor.ConsumeIf('}')) {
      state_.cursor.ConsumeIf(',');
      const size_t offset = state_.cursor.Offset();
      const llvm::StringRef field = state_.cursor.ConsumeWord();
      if (llvm::is_contained(fields, field)) {
        return state_.FailAt(offset,
                             "window field '" + support::Quotable(field) + "' stands twice");
      }
      llvm::SmallVector<llvm::SmallVector<int64_t, 3>, 6> lists;
      if (!state_.Expect('=', "in the window") ||
          !ParseSeparated("a window field such as 3x3 or 1_1x0_0", lists)) {
        return false;
      }
      if (fields.empty()) dimensions.resize(lists.size());
      fields.push_back(field);
      if (lists.size() != dimensions.size()) {
        return state_.FailAt(offset, "the window's fields have different numbers of dimensions");
      }
      for (size_t i = 0; i < lists.size(); ++i) {
        if (!SetWindowField(offset, field, lists[i], dimensions[i])) return false;
      }
    }
    if (!fields.empty() && !llvm::is_contained(fields, "size")) {
      return state_.FailAt(begin, "the window needs the field 'size'");
    }
    attribute_.value = llvm::ArrayRef<WindowDimension>(
        state_.module.Copy(llvm::ArrayRef<WindowDimension>(dimensions)));
    return true;
  }

  bool SetWindowField(size_t offset, llvm::StringRef field, llvm::ArrayRef<int64_t> values,
                      WindowDimension& dimension) {
    const bool is_pair = field == "pad";
    if (values.size() != (is_pair ? 2u : 1u)) {
      return state_.FailAt(offset, "wrong number of values in window field '" + field.str() + "'");
    }
    if (is_pair) {
      dimension.padding_low = values[0];
      dimension.padding_high = values[1];
      return true;
    }
    if (field == "rhs_reversal") {
      dimension.reversal = values[0] != 0;
      return true;
    }
    int64_t* const target = field == "size"         ? &dimension.size
                            : field == "stride"     ? &dimension.stride
                            : field == "lhs_dilate" ? &dimension.base_dilation
                            : field == "rhs_dilate" ? &dimension.window_dilation
                                                    : nullptr;
    if (target == nullptr) {
      return state_.FailAt(offset,
                           "unknown window field '" + support::Quotable(field) + "'" +
                               support::DidYouMean(field, {"size", "stride", "pad", "lhs_dilate",
                                                           "rhs_dilate", "rhs_reversal"}));
    }
    if (values[0] < (field == "size" ? 0 : 1)) {
      return state_.FailAt(offset, "window field '" + field.str() + "' must be positive");
    }
    *target = values[0];
    return true;
  }

  llvm::StringRef ConsumeLabels() {
    const llvm::StringRef rest = state_.cursor.Rest();
    const llvm::StringRef labels =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '?'; });
    state_.cursor.SetOffset(state_.cursor.Offset() + labels.size());
    return labels;
  }

  bool ParseConvolutionValue() {
    const size_t offset = state_.cursor.Offset();
    auto* dimensions = state_.module.Make<ConvolutionDimensions>();
    dimensions->input = ConsumeLabels();
    const bool has_kernel = state_.cursor.ConsumeIf('_');
    dimensions->kernel = ConsumeLabels();
    const bool has_output = state_.cursor.ConsumeIf(llvm::StringRef("->"));
    dimensions->output = ConsumeLabels();
    const auto valid = [](llvm::StringRef labels, llvm::StringRef features) {
      const auto allowed = [&](char c) {
        return llvm::isDigit(c) || c == '?' || features.contains(c);
      };
      const bool distinct =
          llvm::all_of(labels, [&](char c) { return c == '?' || labels.count(c) == 1; });
      const bool has_features = llvm::all_of(features, [&](char c) { return labels.contains(c); });
      return distinct && has_features && llvm::all_of(labels, allowed);
    };
    if (!has_kernel || !has_output || !valid(dimensions->input, "bf") ||
        !valid(dimensions->kernel, "io") || !valid(dimensions->output, "bf")) {
      return state_.FailAt(offset, "expected dimension labels such as b01f_01io->b01f");
    }
    attribute_.value = static_cast<const ConvolutionDimensions*>(dimensions);
    return true;
  }

  bool ParseReplicaGroupsValue() {
    auto* groups = state_.module.Make<ReplicaGroups>();
    attribute_.value = static_cast<const ReplicaGroups*>(groups);
    if (state_.cursor.Peek() == '[') return ParseIotaGroups(*groups);
    if (state_.cursor.PeekWord() == "mesh") return ParseMeshGroups(*groups);
    groups->form = ReplicaGroups::Form::kList;
    llvm::SmallVector<llvm::ArrayRef<int64_t>, 8> lists;
    if (!ParseElements(lists,
                       [this](llvm::ArrayRef<int64_t>& list) { return ParseIntegerList(list); })) {
      return false;
    }
    groups->groups = state_.module.Copy(llvm::ArrayRef<llvm::ArrayRef<int64_t>>(lists));
    return true;
  }

  bool ParseBracketed(char open, char close, llvm::ArrayRef<int64_t>& list) {
    llvm::SmallVector<int64_t, 4> values;
    if (!state_.Expect(open, "in the replica groups")) return false;
    if (!state_.cursor.ConsumeIf(close)) {
      do {
        if (state_.MustStop() || !ParseInteger(values.emplace_back())) return false;
      } while (state_.cursor.ConsumeIf(','));
      if (!state_.Expect(close, "in the replica groups")) return false;
    }
    list = Copy(values);
    return true;
  }

  // [2,4]<=[8], [2,4]<=[4,2]T(1,0)
  bool ParseIotaGroups(ReplicaGroups& groups) {
    groups.form = ReplicaGroups::Form::kIota;
    if (!ParseBracketed('[', ']', groups.dimensions)) return false;
    if (!state_.cursor.ConsumeIf(llvm::StringRef("<="))) return state_.Fail("expected '<='");
    if (!ParseBracketed('[', ']', groups.reshape)) return false;
    return !state_.cursor.ConsumeIf('T') || ParseBracketed('(', ')', groups.permutation);
  }

  // mesh['x'=2,'y'=4] {'y'}, mesh['x'=4], device_ids=([2,2]T(1,0)) {'x'}
  bool ParseMeshGroups(ReplicaGroups& groups) {
    groups.form = ReplicaGroups::Form::kMesh;
    const size_t offset = state_.cursor.Offset();
    const std::optional<llvm::StringRef> text = state_.cursor.ConsumeBalanced();
    if (!text) return state_.FailAt(offset, "brackets or quotes do not close");
    groups.mesh = *text;
    const size_t end = state_.cursor.Offset();
    if (!state_.cursor.ConsumeIf(',') || !state_.cursor.ConsumeIf(llvm::StringRef("device_ids="))) {
      state_.cursor.SetOffset(end);
      return true;
    }
    const std::optional<llvm::StringRef> devices = state_.cursor.ConsumeBalanced();
    if (!devices) return state_.FailAt(offset, "brackets or quotes do not close");
    groups.mesh = {text->begin(), static_cast<size_t>(devices->end() - text->begin())};
    return true;
  }

  bool ParseShapeValue() {
    const Shape* shape = ParseShape(state_);
    attribute_.value = shape;
    return shape != nullptr;
  }

  bool ParseLiteralValue() {
    const Literal* literal = ParseShapedLiteral(state_);
    attribute_.value = literal;
    return literal != nullptr;
  }

  bool ParseComputation(const Computation*& computation) {
    computation = nullptr;
    if (state_.cursor.Peek() == '{') {
      computation = resolver_.ParseInlineComputation();
      return computation != nullptr;
    }
    const size_t offset = state_.cursor.Offset();
    const llvm::StringRef name = state_.cursor.ConsumeName();
    if (name.empty()) return state_.Fail("expected the name of a computation");
    computation = resolver_.FindComputation(name);
    if (computation == nullptr) pending_.push_back({name, offset});
    return true;
  }

  bool ParseComputationValue() {
    const Computation* computation = nullptr;
    if (!ParseComputation(computation)) return false;
    attribute_.value = computation;
    return true;
  }

  bool ParseInstruction(const Instruction*& instruction) {
    const size_t offset = state_.cursor.Offset();
    const llvm::StringRef name = state_.cursor.ConsumeName();
    instruction = resolver_.FindInstruction(name);
    if (instruction != nullptr) return true;
    return state_.FailAt(offset, "no instruction '" + support::Quotable(name) + "' stands before");
  }

  bool ParseText() {
    const size_t offset = state_.cursor.Offset();
    // A backend_config in braces need not be JSON.
    const bool braces =
        attribute_.name == AttributeName::kBackendConfig && state_.cursor.Peek() == '{';
    const std::optional<llvm::StringRef> text =
        braces ? state_.cursor.ConsumeBraces() : state_.cursor.ConsumeBalanced();
    if (!text) return state_.FailAt(offset, "brackets or quotes do not close");
    attribute_.value = RawText{*text};
    return true;
  }

  ParseState& state_;
  NameResolver& resolver_;
  Attribute& attribute_;
  llvm::SmallVectorImpl<PendingComputation>& pending_;
};

}  // namespace

bool ParseAttribute(ParseState& state, NameResolver& resolver, Attribute& attribute,
                    llvm::SmallVectorImpl<PendingComputation>& pending) {
  return AttributeParser(state, resolver, attribute, pending).Parse();
}

}  // namespace hlo_indexing::hlo
