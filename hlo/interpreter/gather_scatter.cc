// Gather and scatter: windows of an array at positions that vectors of indices give.
#include <algorithm>

#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Gather and scatter name the same things differently.
struct IndexedAttributes {
  AttributeName index_map;         // the array dimensions that an index vector addresses
  AttributeName array_batching;    // the array dimensions that run along with the indices'
  AttributeName indices_batching;  // and these
  AttributeName unit_dims;         // the array dimensions that the window lacks
  AttributeName window_dims;       // the dimensions of result or updates that are the window's
};

constexpr IndexedAttributes kGatherAttributes = {
    AttributeName::kStartIndexMap, AttributeName::kOperandBatchingDims,
    AttributeName::kStartIndicesBatchingDims, AttributeName::kCollapsedSliceDims,
    AttributeName::kOffsetDims};
constexpr IndexedAttributes kScatterAttributes = {
    AttributeName::kScatterDimsToOperandDims, AttributeName::kInputBatchingDims,
    AttributeName::kScatterIndicesBatchingDims, AttributeName::kInsertedWindowDims,
    AttributeName::kUpdateWindowDims};

// Where a window begins in the array, before any clamping, and what that was read from.
struct WindowStart {
  Index index;
  SourceSet sources = kNoSources;
};

// How a window array (the result of a gather, the updates of a scatter) consists of windows of a
// base array, one for each index vector.
class IndexedWindows {
 public:
  IndexedWindows(Evaluation& e, const IndexedAttributes& names, const ArrayValue& base,
                 const ArrayValue& indices, const Shape& windows);

  llvm::ArrayRef<int64_t> batch_sizes() const { return batch_sizes_; }
  /// The size of the window in each dimension of the base.
  llvm::ArrayRef<int64_t> extent() const { return extent_; }
  /// Positions in the base, and in the window array, of each element of a window, relative to its
  /// first.
  llvm::ArrayRef<int64_t> base_offsets() const { return base_offsets_; }
  llvm::ArrayRef<int64_t> window_offsets() const { return window_offsets_; }
  /// The window of a batch index: where it begins.
  WindowStart StartOf(llvm::ArrayRef<int64_t> batch);
  /// The position of its first element in the window array.
  int64_t FirstOf(llvm::ArrayRef<int64_t> batch) const { return PositionOf(batch, batch_strides_); }
  int64_t BasePosition(llvm::ArrayRef<int64_t> index) const {
    return PositionOf(index, base_strides_);
  }
  llvm::ArrayRef<int64_t> base_batching() const { return base_batching_; }

 private:
  Evaluation& e_;
  const ArrayValue& indices_;
  int64_t vector_dim_;
  llvm::ArrayRef<int64_t> index_map_;
  llvm::ArrayRef<int64_t> base_batching_;
  llvm::ArrayRef<int64_t> indices_batching_;
  Index base_strides_;
  Index batch_sizes_;
  Index batch_strides_;
  Index extent_;
  std::vector<int64_t> base_offsets_;
  std::vector<int64_t> window_offsets_;
};

IndexedWindows::IndexedWindows(Evaluation& e, const IndexedAttributes& names,
                               const ArrayValue& base, const ArrayValue& indices,
                               const Shape& windows)
    : e_(e),
      indices_(indices),
      vector_dim_(e.instruction().Required<int64_t>(AttributeName::kIndexVectorDim)),
      index_map_(e.instruction().Integers(names.index_map)),
      base_batching_(e.instruction().Integers(names.array_batching)),
      indices_batching_(e.instruction().Integers(names.indices_batching)),
      base_strides_(RowMajorStrides(base.shape().sizes())),
      extent_(base.shape().sizes().size(), 1) {
  const llvm::ArrayRef<int64_t> window_dims = e.instruction().Integers(names.window_dims);
  const Index strides = RowMajorStrides(windows.sizes());
  Index sizes;
  Index of_base;
  Index of_windows;
  int64_t base_dimension = 0;
  const auto is_dropped = [&](int64_t dimension) {
    return llvm::is_contained(e.instruction().Integers(names.unit_dims), dimension) ||
           llvm::is_contained(base_batching_, dimension);
  };
  for (int64_t i = 0; i < windows.rank(); ++i) {
    if (!llvm::is_contained(window_dims, i)) {
      batch_sizes_.push_back(windows.sizes()[i]);
      batch_strides_.push_back(strides[i]);
      continue;
    }
    while (is_dropped(base_dimension)) ++base_dimension;
    extent_[base_dimension] = windows.sizes()[i];
    sizes.push_back(windows.sizes()[i]);
    of_base.push_back(base_strides_[base_dimension++]);
    of_windows.push_back(strides[i]);
  }
  ForEachStrided(sizes, of_base, 0, [&](int64_t, int64_t at) { base_offsets_.push_back(at); });
  ForEachStrided(sizes, of_windows, 0, [&](int64_t, int64_t at) { window_offsets_.push_back(at); });
}

WindowStart IndexedWindows::StartOf(llvm::ArrayRef<int64_t> batch) {
  WindowStart start;
  start.index.resize(extent_.size(), 0);
  const llvm::ArrayRef<int64_t> sizes = indices_.shape().sizes();
  const Index strides = RowMajorStrides(sizes);
  int64_t position = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (i != vector_dim_) position += batch[i < vector_dim_ ? i : i - 1] * strides[i];
  }
  const bool is_vector = vector_dim_ < static_cast<int64_t>(sizes.size());
  for (size_t k = 0; k < index_map_.size(); ++k) {
    const Element element =
        indices_.Get(position + (is_vector ? static_cast<int64_t>(k) * strides[vector_dim_] : 0));
    const bool is_huge = indices_.type() == ElementType::kU64 && element.integer < 0;
    start.index[index_map_[k]] = is_huge ? INT64_MAX : element.integer;
    start.sources = e_.Union(start.sources, element.sources);
  }
  for (size_t k = 0; k < base_batching_.size(); ++k) {
    const int64_t dimension = indices_batching_[k];
    start.index[base_batching_[k]] = batch[dimension < vector_dim_ ? dimension : dimension - 1];
  }
  return start;
}

}  // namespace

// Every element reads one of the operand and the whole index vector; the window is moved inside.
bool Gather(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  // An empty slice of a dropped dimension is an empty result.
  if (result->size() == 0 ||
      llvm::is_contained(e.instruction().Integers(AttributeName::kSliceSizes), 0)) {
    return e.Return(result);
  }
  const ArrayValue& operand = e.array(0);
  const llvm::ArrayRef<int64_t> sizes = operand.shape().sizes();
  IndexedWindows windows(e, kGatherAttributes, operand, e.array(1), result->shape());
  ForEachIndex(windows.batch_sizes(), [&](llvm::ArrayRef<int64_t> batch) {
    WindowStart start = windows.StartOf(batch);
    for (size_t i = 0; i < start.index.size(); ++i) {
      start.index[i] = std::clamp<int64_t>(start.index[i], 0, sizes[i] - windows.extent()[i]);
    }
    const int64_t from = windows.BasePosition(start.index);
    const int64_t to = windows.FirstOf(batch);
    for (size_t i = 0; i < windows.base_offsets().size(); ++i) {
      const int64_t position = to + windows.window_offsets()[i];
      result->CopyFrom(position, operand, from + windows.base_offsets()[i]);
      result->SetSources(position, e.Union(result->SourcesOf(position), start.sources));
    }
    return true;
  });
  return e.Return(result);
}

namespace {

// (arrays, indices, updates)
class ScatterEvaluation {
 public:
  explicit ScatterEvaluation(Evaluation& e)
      : e_(e),
        count_(e.num_operands() / 2),
        function_(e.session().FunctionOf(*e.instruction().Callee(AttributeName::kToApply))),
        windows_(e, kScatterAttributes, e.array(0), e.array(count_), e.array(count_ + 1).shape()) {}

  bool Run();

 private:
  bool Update(int64_t to, int64_t from);
  void AddIndexSources();
  // The batch coordinates of an index of the arrays as one number.
  int64_t BatchOf(llvm::ArrayRef<int64_t> index) const;

  Evaluation& e_;
  size_t count_;
  const ScalarFunction& function_;
  IndexedWindows windows_;
  std::vector<std::shared_ptr<ArrayValue>> results_;
  // By BatchOf: the sources of all index vectors that address it.
  std::vector<SourceSet> index_sources_;
};

bool ScatterEvaluation::Update(int64_t to, int64_t from) {
  llvm::SmallVector<Element, 8> arguments;
  for (const auto& result : results_) arguments.push_back(result->Get(to));
  for (size_t i = 0; i < count_; ++i) arguments.push_back(e_.array(count_ + 1 + i).Get(from));
  llvm::SmallVector<Element, 4> combined(count_);
  // One that replaces the element does not read it.
  if (!function_.Apply(e_.instruction(), e_.device(), arguments, combined,
                       TracedThrough::kComputation)) {
    return false;
  }
  for (size_t i = 0; i < count_; ++i) results_[i]->Set(to, combined[i]);
  return true;
}

int64_t ScatterEvaluation::BatchOf(llvm::ArrayRef<int64_t> index) const {
  int64_t number = 0;
  for (const int64_t dimension : windows_.base_batching()) {
    number = number * e_.array(0).shape().sizes()[dimension] + index[dimension];
  }
  return number;
}

// Whether an update lands on an element depends on every index vector that could have addressed it.
void ScatterEvaluation::AddIndexSources() {
  for (const auto& result : results_) {
    int64_t position = 0;
    ForEachIndex(result->shape().sizes(), [&](llvm::ArrayRef<int64_t> index) {
      const SourceSet sources = index_sources_[static_cast<size_t>(BatchOf(index))];
      result->SetSources(position, e_.Union(result->SourcesOf(position), sources));
      ++position;
      return true;
    });
  }
}

bool ScatterEvaluation::Run() {
  int64_t batches = 1;
  const llvm::ArrayRef<int64_t> sizes = e_.array(0).shape().sizes();
  for (const int64_t dimension : windows_.base_batching()) batches *= sizes[dimension];
  if (e_.is_traced()) index_sources_.resize(static_cast<size_t>(batches), kNoSources);
  for (size_t i = 0; i < count_; ++i) {
    results_.push_back(e_.NewArray(e_.ResultShape(i)));
    if (results_.back() == nullptr) return false;
    for (int64_t k = 0; k < results_[i]->size(); ++k) results_[i]->CopyFrom(k, e_.array(i), k);
  }
  if (!e_.Spend(e_.array(count_ + 1).size())) return false;
  const bool ok = ForEachIndex(windows_.batch_sizes(), [&](llvm::ArrayRef<int64_t> batch) {
    const WindowStart start = windows_.StartOf(batch);
    if (e_.is_traced()) {
      SourceSet& all = index_sources_[static_cast<size_t>(BatchOf(start.index))];
      all = e_.Union(all, start.sources);
    }
    // A window that is not wholly inside is left out.
    for (size_t i = 0; i < start.index.size(); ++i) {
      if (start.index[i] < 0 || start.index[i] > sizes[i] - windows_.extent()[i]) return true;
    }
    const int64_t to = windows_.BasePosition(start.index);
    const int64_t from = windows_.FirstOf(batch);
    for (size_t i = 0; i < windows_.base_offsets().size(); ++i) {
      if (!Update(to + windows_.base_offsets()[i], from + windows_.window_offsets()[i])) {
        return false;
      }
    }
    return true;
  });
  if (!ok) return false;
  if (e_.is_traced()) AddIndexSources();
  return e_.ReturnEach(std::move(results_));
}

}  // namespace

bool Scatter(Evaluation& e) { return ScatterEvaluation(e).Run(); }

}  // namespace hlo_indexing::hlo::evaluate
