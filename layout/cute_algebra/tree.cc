#include "layout/cute_algebra/tree.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::layout {

CuteTree CuteTree::Integer(TupleInteger integer) {
  CuteTree tree;
  tree.kind_ = Kind::kInteger;
  tree.integer_ = integer;
  return tree;
}

CuteTree CuteTree::Underscore() {
  CuteTree tree;
  tree.kind_ = Kind::kUnderscore;
  return tree;
}

CuteTree CuteTree::Layout(CuteLayout layout) {
  CuteTree tree;
  tree.kind_ = Kind::kLayout;
  tree.layout_ = std::move(layout);
  return tree;
}

CuteTree CuteTree::Tuple(std::vector<CuteTree> members) {
  CuteTree tree;
  tree.members_ = std::move(members);
  return tree;
}

CuteTree CuteTree::Of(const IntTuple& tuple) {
  if (tuple.is_integer()) return Integer(tuple.integer());
  std::vector<CuteTree> members;
  for (const IntTuple& member : tuple.members()) members.push_back(Of(member));
  return Tuple(std::move(members));
}

bool CuteTree::Has(Kind kind) const {
  return kind_ == kind ||
         llvm::any_of(members_, [&](const CuteTree& member) { return member.Has(kind); });
}

std::optional<IntTuple> CuteTree::ToIntTuple(std::optional<int64_t> underscore) const {
  if (kind_ == Kind::kInteger) return IntTuple::Integer(integer_);
  if (kind_ == Kind::kUnderscore && underscore) return IntTuple::Static(*underscore);
  if (!is_tuple()) return std::nullopt;
  std::vector<IntTuple> members;
  for (const CuteTree& member : members_) {
    std::optional<IntTuple> tuple = member.ToIntTuple(underscore);
    if (!tuple) return std::nullopt;
    members.push_back(*std::move(tuple));
  }
  return IntTuple::Tuple(std::move(members));
}

std::string CuteTree::ToString() const {
  if (kind_ == Kind::kInteger) return IntTuple::Integer(integer_).ToString();
  if (kind_ == Kind::kUnderscore) return "_";
  if (kind_ == Kind::kLayout) return layout_->ToString();
  std::string text = "(";
  for (const CuteTree& member : members_) {
    if (text.size() > 1) text += ',';
    text += member.ToString();
  }
  return text + ")";
}

}  // namespace hlo_indexing::layout
