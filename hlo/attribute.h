// Attributes of instructions, computations and modules: `name=value`, the value typed if the
// project knows the name and text if it does not.
#ifndef HLO_INDEXING_HLO_ATTRIBUTE_H_
#define HLO_INDEXING_HLO_ATTRIBUTE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

class Computation;
class Instruction;
class Literal;

enum class AttributeName : uint8_t {
#define HLO_ATTRIBUTE(enumerator, text, kind) enumerator,
#include "hlo/attributes.inc"
#undef HLO_ATTRIBUTE
  kOther,
};

/// The syntax of a value.
enum class AttributeKind : uint8_t {
  kInteger,                // 3
  kBoolean,                // true
  kReal,                   // 0.001
  kString,                 // "text"
  kKeyword,                // EQ
  kIntegers,               // {0,1}
  kIntegerLists,           // {{0,1},{2,3}}
  kIntegersOrLists,        // either
  kBooleans,               // {true,false}
  kKeywords,               // {high,highest}
  kSliceRanges,            // {[0:8:2], [1:3]}
  kPadding,                // 1_2_0x0_0_1
  kWindow,                 // {size=3x3 stride=2x2 pad=1_1x0_0}
  kConvolutionDimensions,  // b01f_01io->b01f
  kReplicaGroups,          // {{0,1},{2,3}}, [2,4]<=[8]T(1,0) or mesh['x'=2,'y'=4] {'y'}
  kShape,                  // f32[2]{0}
  kShapes,                 // {f32[2]{0}, s32[]}
  kLiteral,                // s32[] 1
  kComputation,            // %name, or an inline computation in braces
  kComputations,           // {%a, %b}
  kInstructions,           // {%a, %b}
  kText,                   // anything, brackets and strings balanced
};

/// One dimension of `slice={[start:limit:stride]}`.
struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;

  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

/// One dimension of `padding=low_high_interior`; low and high may be negative.
struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;

  friend bool operator==(const PaddingDimension&, const PaddingDimension&) = default;
};

/// One dimension of `window={...}`.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool reversal = false;        // rhs_reversal

  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};

/// `dim_labels=INPUT_KERNEL->OUTPUT`: one letter per dimension, b and f for batch and feature, i
/// and o for the kernel's input and output feature, a digit for a spatial dimension, ? for none of
/// these.
struct ConvolutionDimensions {
  llvm::StringRef input;
  llvm::StringRef kernel;
  llvm::StringRef output;

  /// The dimension with that label, or -1.
  /// Example: ("b01f", 'f') -> 3
  static int64_t Find(llvm::StringRef labels, char label);
  /// The number of spatial dimensions.
  int64_t num_spatial() const;

  friend bool operator==(const ConvolutionDimensions&, const ConvolutionDimensions&) = default;
};

/// Replica groups in any of the forms that XLA writes.
struct ReplicaGroups {
  enum class Form : uint8_t { kList, kIota, kMesh };
  Form form = Form::kList;
  /// kList: the members of each group.
  llvm::ArrayRef<llvm::ArrayRef<int64_t>> groups;
  /// kIota `[dimensions]<=[reshape]T(permutation)`: iota(product of reshape) in shape `reshape`,
  /// transposed by `permutation` (empty: identity), reshaped to `dimensions`; its rows are the
  /// groups.
  llvm::ArrayRef<int64_t> dimensions;
  llvm::ArrayRef<int64_t> reshape;
  llvm::ArrayRef<int64_t> permutation;
  /// kMesh `mesh['x'=2,'y'=4] {'y'}`: the text.
  llvm::StringRef mesh;

  friend bool operator==(const ReplicaGroups&, const ReplicaGroups&) = default;
};

/// A word such as `EQ` or `kLoop`.
struct Keyword {
  llvm::StringRef text;
  friend bool operator==(const Keyword&, const Keyword&) = default;
};

/// A string without its quotes, escapes as written.
struct QuotedString {
  llvm::StringRef escaped;
  /// With \n, \t, \", \' and \\ replaced.
  std::string Unescape() const;
  friend bool operator==(const QuotedString&, const QuotedString&) = default;
};

/// A value that the project does not look into.
struct RawText {
  llvm::StringRef text;
  friend bool operator==(const RawText&, const RawText&) = default;
};

using AttributeValue =
    std::variant<int64_t, bool, double, Keyword, QuotedString, RawText, llvm::ArrayRef<int64_t>,
                 llvm::ArrayRef<llvm::ArrayRef<int64_t>>, llvm::ArrayRef<bool>,
                 llvm::ArrayRef<Keyword>, llvm::ArrayRef<SliceRange>,
                 llvm::ArrayRef<PaddingDimension>, llvm::ArrayRef<WindowDimension>,
                 const ConvolutionDimensions*, const ReplicaGroups*, const Shape*,
                 llvm::ArrayRef<const Shape*>, const Literal*, const Computation*,
                 llvm::ArrayRef<const Computation*>, llvm::ArrayRef<const Instruction*>>;

/// One attribute. What it points to belongs to the module.
struct Attribute {
  AttributeName name = AttributeName::kOther;
  /// The name as written; the only name if `name` is kOther.
  llvm::StringRef text;
  AttributeValue value;
  /// Where the name stands in the module's text.
  uint32_t offset = 0;
};

/// The name in HLO text.
/// Example: kToApply -> "to_apply"
llvm::StringRef AttributeText(AttributeName name);
/// kOther for a name that the project does not know.
AttributeName ParseAttributeName(llvm::StringRef text);
/// The syntax of the values; kText for kOther.
AttributeKind KindOf(AttributeName name);
/// Whether it is a note for the compiler and the runtime that any instruction may have, as
/// `metadata` and `sharding` are: no shape, map, value or kernel follows from it.
bool IsAnnotation(AttributeName name);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_ATTRIBUTE_H_
