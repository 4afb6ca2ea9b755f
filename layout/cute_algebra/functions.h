// The functions of the calculator: tables of names, and what they do with their arguments.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_FUNCTIONS_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/calculator.h"
#include "layout/cute_algebra/modes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {

/// An element type of CuTe, and its width in bits.
struct CuteElementType {
  llvm::StringRef name;
  int64_t bits;
};
llvm::ArrayRef<CuteElementType> CuteElementTypes();
/// The width of the element type of that name, with or without `cute::` or `cutlass::`; 0 if there
/// is none.
int64_t BitsOfElementType(llvm::StringRef name);

/// The arguments of a call, each read as what the function needs. An argument that is something
/// else is an InvalidArgument error, and `mismatch` is its number.
class CuteArguments {
 public:
  explicit CuteArguments(llvm::ArrayRef<CuteValue> values) : values_(values) {}

  size_t size() const { return values_.size(); }
  const CuteValue& operator[](size_t i) const { return values_[i]; }
  template <class T>
  bool Is(size_t i) const {
    return std::holds_alternative<T>(values_[i]);
  }

  /// A layout, which may be composed and begin anywhere.
  absl::StatusOr<CuteTensor> Tensor(size_t i) const;
  /// A layout with strides that begins at 0.
  absl::StatusOr<CuteLayout> Layout(size_t i) const;
  /// Integers, `_` and layouts.
  absl::StatusOr<CuteTree> Tree(size_t i) const;
  absl::StatusOr<IntTuple> Tuple(size_t i) const;
  /// A tuple, or the shape of a layout.
  absl::StatusOr<IntTuple> Shape(size_t i) const;
  absl::StatusOr<TupleInteger> Integer(size_t i) const;
  absl::StatusOr<int64_t> Number(size_t i) const;
  absl::StatusOr<CuteSwizzle> Swizzle(size_t i) const;
  absl::StatusOr<std::string> Text(size_t i) const;
  /// The size of an element type in bits, by CuTe's name or as a number.
  /// Example: half_t -> 16
  absl::StatusOr<int64_t> ElementBits(size_t i) const;
  /// Two numbers, the modes begin to end - 1.
  absl::StatusOr<ModeRange> Range(size_t first) const;

  std::optional<size_t> mismatch() const { return mismatch_; }

 private:
  absl::Status Expected(size_t i, const std::string& what) const;

  llvm::ArrayRef<CuteValue> values_;
  mutable std::optional<size_t> mismatch_;
};

using CuteOutcome = absl::StatusOr<CuteResult>;

struct CuteFunction {
  llvm::StringRef name;
  size_t fewest_arguments;
  size_t most_arguments;
  /// The parameters, to show.
  /// Example: A, B
  llvm::StringRef parameters;
  CuteOutcome (*evaluate)(const CuteArguments&);
};

/// What a function gives, as a result.
CuteOutcome ResultOf(absl::StatusOr<CuteTensor> tensor);
CuteOutcome ResultOf(absl::StatusOr<CuteLayout> layout);
CuteOutcome ResultOf(absl::StatusOr<IntTuple> tuple);
CuteOutcome ResultOf(absl::StatusOr<CuteTree> tree);
CuteOutcome ResultOf(absl::StatusOr<TupleInteger> integer);
CuteOutcome ResultOf(absl::StatusOr<std::string> text);
CuteOutcome ResultOf(absl::StatusOr<CuteSwizzle> swizzle);

/// f of the layout that is the first argument; it stays composed, and if it is.
CuteOutcome OnLayout(const CuteArguments& arguments,
                     llvm::function_ref<absl::StatusOr<CuteLayout>(const CuteLayout&)> f);

/// f of the layout that is the first argument, and begins at 0.
template <auto f>
CuteOutcome OfLayout(const CuteArguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  return ResultOf(f(layout));
}
/// The same of two.
template <auto f>
CuteOutcome OfTwoLayouts(const CuteArguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout a, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout b, arguments.Layout(1));
  return ResultOf(f(a, b));
}

/// Functions of tuples and coordinates; of layouts; of tensors; and what shows or converts.
llvm::ArrayRef<CuteFunction> CuteTupleFunctions();
llvm::ArrayRef<CuteFunction> CuteLayoutFunctions();
llvm::ArrayRef<CuteFunction> CuteTilingFunctions();
llvm::ArrayRef<CuteFunction> CuteTensorFunctions();
llvm::ArrayRef<CuteFunction> CuteViewFunctions();

/// The composition of two or three values: `a o b`, `a o offset o b`. With an offset, and of a
/// swizzle, it stays a composed layout.
CuteOutcome ComposeValues(const CuteArguments& arguments);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_FUNCTIONS_H_
