// Nested tuples of integers, as CuTe's layouts are made of them: shapes, strides, coordinates.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INT_TUPLE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INT_TUPLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::layout {

/// When the value of an integer is known to the kernel that uses it.
enum class IntegerKind : uint8_t {
  /// At compile time; printed with an underscore, `_8`.
  kStatic,
  /// At run time; printed as `8`, or as `24{div=8}` if the compiler knows that 8 divides it.
  kDynamic,
};

/// Which integer of a coordinate a stride counts along: none, the axis 0, or inside of the tuple at
/// the axis 1 the axis 0. CuTe writes the innermost axis first: `_1@0`, `_1@0@1`.
class AxisPath {
 public:
  /// No axis: the stride of a layout that maps to offsets.
  constexpr AxisPath() = default;

  bool empty() const { return code_ == 0; }
  /// The axis of the outermost tuple; only of a path that is not empty.
  int64_t first() const { return static_cast<int64_t>(code_ & 0xff) - 1; }
  /// The way on from there.
  AxisPath rest() const { return AxisPath(code_ >> 8); }
  /// The path that enters the tuple at `axis` first; nullopt beyond 8 axes, or for an axis outside
  /// of [0, 254].
  /// Example: {0}.Inside(1) -> {1, 0}
  std::optional<AxisPath> Inside(int64_t axis) const;
  /// `@0@1`, innermost axis first; the empty text for the empty path.
  std::string ToString() const;

  friend bool operator==(const AxisPath&, const AxisPath&) = default;
  /// An order without meaning, to sort by.
  friend bool operator<(const AxisPath& a, const AxisPath& b) { return a.code_ < b.code_; }

 private:
  constexpr explicit AxisPath(uint64_t code) : code_(code) {}

  // A byte for each axis, 1 more than its number, the first axis lowest.
  uint64_t code_ = 0;
};

/// An integer of a tuple.
struct TupleInteger {
  int64_t value = 0;
  IntegerKind kind = IntegerKind::kDynamic;
  /// What a dynamic integer is known to be a multiple of; 1 says nothing.
  int64_t divisor = 1;
  /// Of a stride: what it counts along.
  AxisPath axes;

  bool is_static() const { return kind == IntegerKind::kStatic; }
  /// Whether it is that static number.
  bool is_static(int64_t number) const { return is_static() && value == number; }

  friend bool operator==(const TupleInteger&, const TupleInteger&) = default;
};

/// The integer as a compile-time constant.
/// Example: 8 -> _8
TupleInteger StaticInteger(int64_t value);

/// Arithmetic on values and kinds: the result is static if both are, or if a static 0 or 1 decides
/// it, and it is a multiple of what is known of both. Nullopt if it does not fit in 64 bits; of
/// Plus also if the axes differ.
/// Example: _4, 6{div=2} -> 24{div=8}
std::optional<TupleInteger> Times(const TupleInteger& a, const TupleInteger& b);
/// Example: _4, 6 -> 10
std::optional<TupleInteger> Plus(const TupleInteger& a, const TupleInteger& b);
/// The quotient rounded up, of numbers that are not negative; b must not be 0.
/// Example: 7, _2 -> 4
TupleInteger DividedRoundingUp(const TupleInteger& a, const TupleInteger& b);

/// An integer, or a tuple of IntTuples. A default-constructed value is the empty tuple `()`.
class IntTuple {
 public:
  IntTuple() = default;

  /// Example: 8 -> _8
  static IntTuple Static(int64_t value);
  /// The divisor must be positive and divide the value.
  /// Example: 24, 8 -> 24{div=8}
  static IntTuple Dynamic(int64_t value, int64_t divisor = 1);
  static IntTuple Integer(TupleInteger integer) {
    IntTuple tuple;
    tuple.integer_ = integer;
    return tuple;
  }
  static IntTuple Tuple(std::vector<IntTuple> members);

  bool is_integer() const { return integer_.has_value(); }
  /// Only of an integer.
  const TupleInteger& integer() const { return *integer_; }
  /// The members of a tuple; none of an integer.
  llvm::ArrayRef<IntTuple> members() const { return members_; }

  /// The number of members; 1 for an integer.
  /// Example: (_4,(_2,8)) -> 2
  int64_t rank() const;
  /// How deep tuples nest; 0 for an integer.
  /// Example: (_4,(_2,8)) -> 2
  int64_t depth() const;
  /// The integers from left to right.
  /// Example: (_4,(_2,8)) -> {_4, _2, 8}
  llvm::SmallVector<TupleInteger, 4> Leaves() const;

  /// CuTe's text.
  /// Example: (_4,(_2,8))
  std::string ToString() const;

  /// Whether values, kinds and nesting are the same.
  friend bool operator==(const IntTuple&, const IntTuple&) = default;

 private:
  std::optional<TupleInteger> integer_;
  std::vector<IntTuple> members_;
};

/// Whether two tuples nest in the same way, whatever their integers are.
/// Example: (_4,(_2,8)), (1,(2,3)) -> true
bool AreCongruent(const IntTuple& a, const IntTuple& b);

/// The product of all integers, with its kind; nullopt if it does not fit in 64 bits.
/// Example: (_4,(_2,8)) -> 64
std::optional<TupleInteger> ProductWithKind(const IntTuple& tuple);

/// The product of all integers; nullopt if it does not fit in 64 bits.
/// Example: (_4,(_2,8)) -> 64
std::optional<int64_t> Product(const IntTuple& tuple);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_INT_TUPLE_H_
