// Dots: sums of products over contracting dimensions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/sum_of_products.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// A dimension to iterate over, with its stride in each operand (0 if the operand does not have it).
struct Axis {
  int64_t size;
  int64_t lhs_stride;
  int64_t rhs_stride;
};

// The dimensions of the result, in its order, and those that are summed over.
struct DotAxes {
  llvm::SmallVector<Axis, 8> batch;
  llvm::SmallVector<Axis, 8> lhs_free;
  llvm::SmallVector<Axis, 8> rhs_free;
  llvm::SmallVector<Axis, 8> contracting;
};

// `rhs_group` is the group dimension of a ragged-dot's rhs, which is none of the result's.
DotAxes AxesOf(Evaluation& e, llvm::ArrayRef<int64_t> rhs_group = {}) {
  const Instruction& dot = e.instruction();
  const llvm::ArrayRef<int64_t> lhs_batch = dot.Integers(AttributeName::kLhsBatchDims);
  const llvm::ArrayRef<int64_t> rhs_batch = dot.Integers(AttributeName::kRhsBatchDims);
  const llvm::ArrayRef<int64_t> lhs_summed = dot.Integers(AttributeName::kLhsContractingDims);
  const llvm::ArrayRef<int64_t> rhs_summed = dot.Integers(AttributeName::kRhsContractingDims);
  const llvm::ArrayRef<int64_t> lhs_sizes = e.array(0).shape().sizes();
  const llvm::ArrayRef<int64_t> rhs_sizes = e.array(1).shape().sizes();
  const Index lhs = RowMajorStrides(lhs_sizes);
  const Index rhs = RowMajorStrides(rhs_sizes);
  DotAxes axes;
  for (size_t i = 0; i < lhs_batch.size(); ++i) {
    axes.batch.push_back({lhs_sizes[lhs_batch[i]], lhs[lhs_batch[i]], rhs[rhs_batch[i]]});
  }
  for (size_t i = 0; i < lhs_summed.size(); ++i) {
    axes.contracting.push_back({lhs_sizes[lhs_summed[i]], lhs[lhs_summed[i]], rhs[rhs_summed[i]]});
  }
  for (int64_t i = 0; i < static_cast<int64_t>(lhs_sizes.size()); ++i) {
    if (llvm::is_contained(lhs_batch, i) || llvm::is_contained(lhs_summed, i)) continue;
    axes.lhs_free.push_back({lhs_sizes[i], lhs[i], 0});
  }
  for (int64_t i = 0; i < static_cast<int64_t>(rhs_sizes.size()); ++i) {
    if (llvm::is_contained(rhs_batch, i) || llvm::is_contained(rhs_summed, i) ||
        llvm::is_contained(rhs_group, i)) {
      continue;
    }
    axes.rhs_free.push_back({rhs_sizes[i], 0, rhs[i]});
  }
  return axes;
}

struct Positions {
  std::vector<int64_t> lhs;
  std::vector<int64_t> rhs;
  size_t size() const { return lhs.size(); }
};

// Where the operands are read for every index of the axes, in row-major order.
Positions PositionsOf(llvm::ArrayRef<Axis> axes) {
  Index sizes;
  Index lhs;
  Index rhs;
  for (const Axis& axis : axes) {
    sizes.push_back(axis.size);
    lhs.push_back(axis.lhs_stride);
    rhs.push_back(axis.rhs_stride);
  }
  Positions positions;
  ForEachStrided(sizes, lhs, 0, [&](int64_t, int64_t at) { positions.lhs.push_back(at); });
  ForEachStrided(sizes, rhs, 0, [&](int64_t, int64_t at) { positions.rhs.push_back(at); });
  return positions;
}

// Every batch as matrices, packed: the way for numbers without sources.
template <typename T, typename Wide>
bool MultiplyPacked(Evaluation& e, const DotAxes& axes, const std::vector<Wide>& lhs,
                    const std::vector<Wide>& rhs, std::vector<Wide>& result) {
  static_assert(sizeof(T) == sizeof(Wide));
  const Positions batches = PositionsOf(axes.batch);
  const Positions rows = PositionsOf(axes.lhs_free);
  const Positions columns = PositionsOf(axes.rhs_free);
  const Positions inner = PositionsOf(axes.contracting);
  const int64_t elements = static_cast<int64_t>((rows.size() + columns.size()) * inner.size() +
                                                batches.size() * rows.size() * columns.size());
  const std::shared_ptr<MemoryReservation> reservation =
      e.session().Reserve(e.instruction(), elements * static_cast<int64_t>(sizeof(T)));
  if (reservation == nullptr) return false;
  std::vector<T> packed_lhs(rows.size() * inner.size());
  std::vector<T> packed_rhs(inner.size() * columns.size());
  std::vector<T> products(rows.size() * columns.size());
  result.clear();
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    T* next = packed_lhs.data();
    for (const int64_t row : rows.lhs) {
      for (const int64_t k : inner.lhs) *next++ = static_cast<T>(lhs[batches.lhs[batch] + row + k]);
    }
    next = packed_rhs.data();
    for (const int64_t k : inner.rhs) {
      for (const int64_t column : columns.rhs) {
        *next++ = static_cast<T>(rhs[batches.rhs[batch] + k + column]);
      }
    }
    if (!MultiplyMatrices<T>(e, static_cast<int64_t>(rows.size()),
                             static_cast<int64_t>(columns.size()),
                             static_cast<int64_t>(inner.size()), packed_lhs.data(),
                             packed_rhs.data(), products.data())) {
      return false;
    }
    for (const T product : products) result.push_back(static_cast<Wide>(product));
  }
  return true;
}

bool MultiplyFast(Evaluation& e, const DotAxes& axes, const WideArray& lhs, const WideArray& rhs,
                  ElementType wide_type, ArrayValue& result) {
  std::vector<double> reals;
  std::vector<int64_t> integers;
  const bool is_real = wide_type == ElementType::kF64;
  const bool ok = is_real ? MultiplyPacked<double>(e, axes, lhs.reals, rhs.reals, reals)
                          : MultiplyPacked<uint64_t>(e, axes, lhs.integers, rhs.integers, integers);
  if (!ok) return false;
  for (int64_t i = 0; i < result.size(); ++i) {
    const Element wide = is_real ? FloatElement(reals[i]) : IntegerElement(integers[i]);
    result.Set(i, ConvertElement(wide, wide_type, result.type()));
  }
  return true;
}

// Sum by sum: the way for complex numbers, and for elements with sources.
bool MultiplyOneByOne(Evaluation& e, const DotAxes& axes, const WideArray& lhs,
                      const WideArray& rhs, ElementType wide_type, ArrayValue& result) {
  llvm::SmallVector<Axis, 8> outer(axes.batch);
  outer.append(axes.lhs_free.begin(), axes.lhs_free.end());
  outer.append(axes.rhs_free.begin(), axes.rhs_free.end());
  const Positions starts = PositionsOf(outer);
  const Positions inner = PositionsOf(axes.contracting);
  SumOfProducts sum(e, lhs, rhs, wide_type);
  for (size_t i = 0; i < starts.size(); ++i) {
    if (!e.Spend(static_cast<int64_t>(inner.size()))) return false;
    for (size_t k = 0; k < inner.size(); ++k) {
      sum.Add(starts.lhs[i] + inner.lhs[k], starts.rhs[i] + inner.rhs[k]);
    }
    result.Set(static_cast<int64_t>(i), sum.Finish(result.type()));
  }
  return true;
}

int64_t SizeOf(llvm::ArrayRef<Axis> axes) {
  Index sizes;
  for (const Axis& axis : axes) sizes.push_back(axis.size);
  return NumIndices(sizes);
}

// The memory for the positions of all axes; null after an error.
std::shared_ptr<MemoryReservation> ReservePositions(Evaluation& e, const DotAxes& axes) {
  const int64_t bytes_each = 2 * static_cast<int64_t>(sizeof(int64_t));
  std::optional<int64_t> bytes = 0;
  for (const auto* of_kind : {&axes.batch, &axes.lhs_free, &axes.rhs_free, &axes.contracting}) {
    const auto more = support::CheckedMul(SizeOf(*of_kind), bytes_each);
    bytes = bytes && more ? support::CheckedAdd(*bytes, *more) : std::nullopt;
  }
  return e.session().Reserve(e.instruction(), bytes.value_or(-1));
}

bool Multiply(Evaluation& e, const WideArray& lhs, const WideArray& rhs, ElementType wide_type) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  // There may be nothing to multiply along dimensions of any size.
  if (result->size() == 0) return e.Return(result);
  const DotAxes axes = AxesOf(e);
  const std::shared_ptr<MemoryReservation> reservation = ReservePositions(e, axes);
  if (reservation == nullptr) return false;
  if (!e.CanSpend(support::CheckedMul(result->size(), SizeOf(axes.contracting)).value_or(-1))) {
    return false;
  }
  const bool is_fast = !e.is_traced() && wide_type != ElementType::kC128;
  const auto multiply = is_fast ? MultiplyFast : MultiplyOneByOne;
  return multiply(e, axes, lhs, rhs, wide_type, *result) && e.Return(result);
}

}  // namespace

bool Dot(Evaluation& e) {
  if (e.instruction().Find(AttributeName::kSparsity) != nullptr || e.num_operands() != 2) {
    return e.FailUnsupported(
        "how the metadata of a sparse dot selects elements has no stated form");
  }
  const ElementType wide_type = WideTypeOf(e);
  WideArray lhs;
  WideArray rhs;
  return Widen(e, e.array(0), wide_type, lhs) && Widen(e, e.array(1), wide_type, rhs) &&
         Multiply(e, lhs, rhs, wide_type);
}

// (lhs, rhs, lhs scale, rhs scale): each block of an operand is multiplied with its scale first.
bool ScaledDot(Evaluation& e) {
  const ElementType wide_type = WideTypeOf(e);
  WideArray operands[2];
  for (size_t i = 0; i < 2; ++i) {
    if (!Widen(e, e.array(i), wide_type, operands[i])) return false;
    if (e.num_operands() <= i + 2) continue;
    if (!e.operand(i + 2).IsArray()) return e.Fail("the scales must be arrays");
    if (!ScaleBlocks(e, e.array(i).shape(), e.array(i + 2), wide_type, operands[i])) return false;
  }
  return Multiply(e, operands[0], operands[1], wide_type);
}

namespace {

// What is ragged in a ragged-dot, and so what a group is.
enum class RaggedKind : uint8_t {
  kFree,         // stretches of rows of lhs, each with a matrix of its own of rhs
  kContracting,  // stretches of the sum, each with a result of its own
  kBatch,        // stretches of the batch: as a plain dot
};

// Where a ragged dimension is cut, for one index of the dimensions that the group sizes share.
struct Groups {
  std::vector<int64_t> ends;
  // The group that holds a coordinate; the number of groups if none does.
  int64_t Find(int64_t coordinate) const {
    return std::upper_bound(ends.begin(), ends.end(), coordinate) - ends.begin();
  }
};

Groups ReadGroups(const ArrayValue& sizes, int64_t row, int64_t count) {
  Groups groups;
  int64_t end = 0;
  for (int64_t g = 0; g < count; ++g) {
    const int64_t size = std::max<int64_t>(sizes.Integer(row * count + g), 0);
    end = support::CheckedAdd(end, size).value_or(INT64_MAX);
    groups.ends.push_back(end);
  }
  return groups;
}

class RaggedEvaluation {
 public:
  explicit RaggedEvaluation(Evaluation& e) : e_(e) {}

  bool Run();

 private:
  bool Prepare();
  int64_t RaggedCoordinate(int64_t lhs_position) const {
    return lhs_position / lhs_stride_ % lhs_size_;
  }
  void AddGroup(SumOfProducts& sum, const Groups& groups, int64_t group, int64_t lhs, int64_t rhs);
  SourceSet SourcesOfGroups(int64_t row);

  Evaluation& e_;
  RaggedKind kind_ = RaggedKind::kFree;
  DotAxes axes_;
  Positions inner_;
  int64_t num_groups_ = 0;
  int64_t lhs_size_ = 1;
  int64_t lhs_stride_ = 1;
  int64_t group_stride_ = 0;
};

bool RaggedEvaluation::Prepare() {
  const Instruction& dot = e_.instruction();
  const llvm::ArrayRef<int64_t> ragged = dot.Integers(AttributeName::kLhsRaggedDims);
  const llvm::ArrayRef<int64_t> group = dot.Integers(AttributeName::kRhsGroupDims);
  const Shape& lhs = e_.array(0).shape();
  const Shape& rhs = e_.array(1).shape();
  if (ragged.size() != 1 || ragged[0] < 0 || ragged[0] >= lhs.rank()) {
    return e_.Fail("ragged-dot needs one dimension of lhs in lhs_ragged_dims");
  }
  const auto is_in = [&](AttributeName name) {
    return llvm::is_contained(dot.Integers(name), ragged[0]);
  };
  if (is_in(AttributeName::kLhsContractingDims)) kind_ = RaggedKind::kContracting;
  if (is_in(AttributeName::kLhsBatchDims)) kind_ = RaggedKind::kBatch;
  const bool wants_group = kind_ == RaggedKind::kFree;
  if (group.size() != (wants_group ? 1U : 0U) ||
      (wants_group && (group[0] < 0 || group[0] >= rhs.rank()))) {
    return e_.Fail(
        "ragged-dot needs one dimension of rhs in rhs_group_dims where a free dimension "
        "is ragged, else none");
  }
  axes_ = AxesOf(e_, group);
  inner_ = PositionsOf(axes_.contracting);
  lhs_size_ = std::max<int64_t>(lhs.sizes()[ragged[0]], 1);
  // 0 if the array is empty, which has coordinates all the same.
  lhs_stride_ = std::max<int64_t>(RowMajorStrides(lhs.sizes())[ragged[0]], 1);
  const Shape& sizes = e_.array(2).shape();
  if (sizes.rank() == 0) return e_.Fail("the group sizes need a dimension");
  num_groups_ = sizes.sizes().back();
  if (wants_group) {
    group_stride_ = RowMajorStrides(rhs.sizes())[group[0]];
    if (rhs.sizes()[group[0]] != num_groups_) {
      return e_.Fail("rhs and the group sizes must have the same number of groups");
    }
  }
  const int64_t rows = e_.array(2).size() / std::max<int64_t>(num_groups_, 1);
  if (rows != 1 && (kind_ == RaggedKind::kBatch || rows != SizeOf(axes_.batch))) {
    return e_.FailUnsupported("group sizes " + sizes.ToString() +
                              " that differ along other dimensions than the batch");
  }
  return true;
}

// The products of one result that belong to a group.
void RaggedEvaluation::AddGroup(SumOfProducts& sum, const Groups& groups, int64_t group,
                                int64_t lhs, int64_t rhs) {
  if (kind_ == RaggedKind::kFree) {
    group = groups.Find(RaggedCoordinate(lhs));
    if (group >= num_groups_) return;
    rhs += group * group_stride_;
  }
  for (size_t k = 0; k < inner_.size(); ++k) {
    const int64_t at = lhs + inner_.lhs[k];
    if (kind_ == RaggedKind::kContracting && groups.Find(RaggedCoordinate(at)) != group) continue;
    sum.Add(at, rhs + inner_.rhs[k]);
  }
}

// What a row of the group sizes was read from; a ragged batch does not depend on it.
SourceSet RaggedEvaluation::SourcesOfGroups(int64_t row) {
  SourceSet sources = kNoSources;
  if (!e_.is_traced() || kind_ == RaggedKind::kBatch) return sources;
  for (int64_t g = 0; g < num_groups_; ++g) {
    sources = e_.Union(sources, e_.array(2).SourcesOf(row * num_groups_ + g));
  }
  return sources;
}

bool RaggedEvaluation::Run() {
  if (!Prepare()) return false;
  const std::shared_ptr<ArrayValue> result = e_.NewResult();
  const ElementType wide_type = WideTypeOf(e_);
  WideArray lhs;
  WideArray rhs;
  if (result == nullptr || !Widen(e_, e_.array(0), wide_type, lhs) ||
      !Widen(e_, e_.array(1), wide_type, rhs) ||
      !e_.CanSpend(support::CheckedMul(result->size(), SizeOf(axes_.contracting)).value_or(-1))) {
    return false;
  }
  llvm::SmallVector<Axis, 8> outer(axes_.batch);
  outer.append(axes_.lhs_free.begin(), axes_.lhs_free.end());
  outer.append(axes_.rhs_free.begin(), axes_.rhs_free.end());
  const int64_t repeats = kind_ == RaggedKind::kContracting ? num_groups_ : 1;
  const Positions starts = PositionsOf(outer);
  const int64_t per_repeat = static_cast<int64_t>(starts.size());
  if (per_repeat * repeats != result->size()) {
    return e_.Fail("its operands give another number of elements than " +
                   result->shape().ToString());
  }
  const int64_t per_batch = per_repeat / std::max<int64_t>(SizeOf(axes_.batch), 1);
  const bool groups_vary = e_.array(2).size() != num_groups_;
  SourceSet sizes_read = SourcesOfGroups(0);
  Groups groups = ReadGroups(e_.array(2), 0, num_groups_);
  SumOfProducts sum(e_, lhs, rhs, wide_type);
  for (int64_t i = 0; i < result->size(); ++i) {
    const int64_t start = i % per_repeat;
    if (groups_vary && start % per_batch == 0) {
      groups = ReadGroups(e_.array(2), start / per_batch, num_groups_);
      sizes_read = SourcesOfGroups(start / per_batch);
    }
    if (!e_.Spend(static_cast<int64_t>(inner_.size()))) return false;
    AddGroup(sum, groups, i / per_repeat, starts.lhs[start], starts.rhs[start]);
    sum.Read(sizes_read);
    result->Set(i, sum.Finish(result->type()));
  }
  return e_.Return(result);
}

}  // namespace

bool RaggedDot(Evaluation& e) { return RaggedEvaluation(e).Run(); }

}  // namespace hlo_indexing::hlo::evaluate
