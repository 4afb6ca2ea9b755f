// Nested tuples of integers, `_` and layouts: tilers, and coordinates that keep modes whole.
//
//   (2,_)               a coordinate: element 2 of the first mode, all of the second
//   <_8:_2,_,(_4,_4)>   a tiler: a layout for the first mode, nothing for the second, and a tile of
//                       4 x 4 for the third
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TREE_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::layout {

/// An integer, `_`, a layout, or a tuple of CuteTrees. A default-constructed value is `()`.
class CuteTree {
 public:
  enum class Kind : uint8_t { kTuple, kInteger, kUnderscore, kLayout };

  CuteTree() = default;
  static CuteTree Integer(TupleInteger integer);
  static CuteTree Underscore();
  static CuteTree Layout(CuteLayout layout);
  static CuteTree Tuple(std::vector<CuteTree> members);
  /// The same tuple.
  static CuteTree Of(const IntTuple& tuple);

  Kind kind() const { return kind_; }
  bool is_tuple() const { return kind_ == Kind::kTuple; }
  bool is_underscore() const { return kind_ == Kind::kUnderscore; }
  /// Only of an integer, and of a layout.
  const TupleInteger& integer() const { return integer_; }
  const CuteLayout& layout() const { return *layout_; }
  /// The members of a tuple; none of others.
  llvm::ArrayRef<CuteTree> members() const { return members_; }
  int64_t rank() const { return is_tuple() ? static_cast<int64_t>(members_.size()) : 1; }

  /// Whether there is a leaf of that kind, or for kTuple a tuple.
  bool Has(Kind kind) const;
  /// The tuple of integers; nullopt if there are other leaves. `_` is 0 if `underscore` is.
  std::optional<IntTuple> ToIntTuple(std::optional<int64_t> underscore = std::nullopt) const;

  /// Example: (_3:_4,8,_)
  std::string ToString() const;

 private:
  Kind kind_ = Kind::kTuple;
  TupleInteger integer_;
  std::optional<CuteLayout> layout_;
  std::vector<CuteTree> members_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_TREE_H_
