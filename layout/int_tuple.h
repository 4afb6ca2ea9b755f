// Nested tuples of integers, as CuTe's layouts are made of them: shapes, strides, coordinates.
#ifndef HLO_INDEXING_LAYOUT_INT_TUPLE_H_
#define HLO_INDEXING_LAYOUT_INT_TUPLE_H_

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
  /// At run time; printed as `8`, or as `24{div=8}` where the compiler knows that 8 divides it.
  kDynamic,
};

/// An integer of a tuple.
struct TupleInteger {
  int64_t value = 0;
  IntegerKind kind = IntegerKind::kDynamic;
  /// What a dynamic integer is known to be a multiple of; 1 says nothing.
  int64_t divisor = 1;

  friend bool operator==(const TupleInteger&, const TupleInteger&) = default;
};

/// An integer, or a tuple of IntTuples. A default-constructed value is the empty tuple `()`.
class IntTuple {
 public:
  IntTuple() = default;

  /// *8 -> _8*
  static IntTuple Static(int64_t value);
  /// *24, 8 -> 24{div=8}.* The divisor must be positive and divide the value.
  static IntTuple Dynamic(int64_t value, int64_t divisor = 1);
  static IntTuple Integer(TupleInteger integer);
  static IntTuple Tuple(std::vector<IntTuple> members);

  bool is_integer() const { return integer_.has_value(); }
  /// Only of an integer.
  const TupleInteger& integer() const { return *integer_; }
  /// The members of a tuple; none of an integer.
  llvm::ArrayRef<IntTuple> members() const { return members_; }

  /// The number of members; 1 for an integer. *(_4,(_2,8)) -> 2*
  int64_t rank() const;
  /// How deep tuples nest; 0 for an integer. *(_4,(_2,8)) -> 2*
  int64_t depth() const;
  /// The integers from left to right. *(_4,(_2,8)) -> {_4, _2, 8}*
  llvm::SmallVector<TupleInteger, 4> Leaves() const;

  /// CuTe's text. *(_4,(_2,8))*
  std::string ToString() const;

  /// Whether values, kinds and nesting are the same.
  friend bool operator==(const IntTuple&, const IntTuple&) = default;

 private:
  std::optional<TupleInteger> integer_;
  std::vector<IntTuple> members_;
};

/// Whether two tuples nest in the same way, whatever their integers are.
/// *(_4,(_2,8)), (1,(2,3)) -> true*
bool AreCongruent(const IntTuple& a, const IntTuple& b);

/// The product of all integers; nothing where it does not fit in 64 bits. *(_4,(_2,8)) -> 64*
std::optional<int64_t> Product(const IntTuple& tuple);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_INT_TUPLE_H_
