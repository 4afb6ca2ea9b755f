// Operations that combine elements by a computation: reduce, reduce-window, select-and-scatter,
// scan. Elements are combined one after the other, in row-major order of what is combined,
// beginning with the initial value.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

llvm::ArrayRef<WindowDimension> WindowOf(const Evaluation& e) {
  return e.instruction()
      .Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
      .value_or(llvm::ArrayRef<WindowDimension>());
}

// Combines arrays that have the initial values behind them among the operands.
class Reducer {
 public:
  explicit Reducer(Evaluation& e)
      : e_(e),
        function_(e.session().FunctionOf(*e.instruction().Callee(AttributeName::kToApply))),
        count_(e.num_operands() / 2),
        arguments_(2 * count_) {}

  bool MakeResults() {
    for (size_t i = 0; i < count_; ++i) {
      results_.push_back(e_.NewArray(e_.ResultShape(i)));
      if (results_.back() == nullptr) return false;
    }
    return true;
  }
  const ArrayValue& result() const { return *results_.front(); }
  void Begin() {
    for (size_t i = 0; i < count_; ++i) arguments_[i] = e_.array(count_ + i).Get(0);
  }
  bool Add(int64_t position) {
    for (size_t i = 0; i < count_; ++i) arguments_[count_ + i] = e_.array(i).Get(position);
    llvm::SmallVector<Element, 4> combined(count_);
    if (!function_.Apply(e_.instruction(), e_.device(), arguments_, combined)) return false;
    std::copy(combined.begin(), combined.end(), arguments_.begin());
    return true;
  }
  void End(int64_t position) {
    for (size_t i = 0; i < count_; ++i) results_[i]->Set(position, arguments_[i]);
  }
  bool Return() { return e_.ReturnEach(std::move(results_)); }

 private:
  Evaluation& e_;
  const ScalarFunction& function_;
  size_t count_;
  // The values so far, then the elements that come.
  llvm::SmallVector<Element, 8> arguments_;
  std::vector<std::shared_ptr<ArrayValue>> results_;
};

// A reduce whose computation combines whole results: slice by slice.
bool ReduceWhole(Evaluation& e, llvm::ArrayRef<int64_t> kept, llvm::ArrayRef<int64_t> kept_strides,
                 llvm::ArrayRef<int64_t> reduced, llvm::ArrayRef<int64_t> reduced_strides) {
  const Computation& callee = *e.instruction().Callee(AttributeName::kToApply);
  Value value = e.operand(1);
  std::vector<int64_t> starts;
  ForEachStrided(reduced, reduced_strides, 0, [&](int64_t, int64_t at) { starts.push_back(at); });
  for (const int64_t start : starts) {
    const std::shared_ptr<ArrayValue> slice = e.NewArray(callee.parameters()[1]->shape());
    if (slice == nullptr) return false;
    ForEachStrided(kept, kept_strides, start,
                   [&](int64_t to, int64_t from) { slice->CopyFrom(to, e.array(0), from); });
    std::vector<Value> results;
    std::vector<Arguments> arguments = {{value, Value(slice)}};
    if (!e.session().RunComputation(e.instruction(), callee, e.device(), arguments, results)) {
      return false;
    }
    value = results.front();
  }
  return e.Return(std::move(value));
}

}  // namespace

bool Reduce(Evaluation& e) {
  const llvm::ArrayRef<int64_t> sizes = e.array(0).shape().sizes();
  const Index strides = RowMajorStrides(sizes);
  const llvm::ArrayRef<int64_t> dimensions = e.instruction().Integers(AttributeName::kDimensions);
  Index kept;
  Index kept_strides;
  Index reduced;
  Index reduced_strides;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    const bool is_reduced = llvm::is_contained(dimensions, i);
    (is_reduced ? reduced : kept).push_back(sizes[i]);
    (is_reduced ? reduced_strides : kept_strides).push_back(strides[i]);
  }
  if (!e.array(e.num_operands() / 2).shape().IsScalar()) {
    return ReduceWhole(e, kept, kept_strides, reduced, reduced_strides);
  }
  Reducer reducer(e);
  if (!reducer.MakeResults()) return false;
  bool ok = true;
  ForEachStrided(kept, kept_strides, 0, [&](int64_t to, int64_t start) {
    reducer.Begin();
    ForEachStrided(reduced, reduced_strides, start,
                   [&](int64_t, int64_t from) { ok = ok && reducer.Add(from); });
    reducer.End(to);
  });
  return ok && reducer.Return();
}

namespace {

// Calls visit(position) for each element of an array that a window covers, in the order of the
// window; false if visit gave false.
template <typename Visit>
bool ForEachInWindow(llvm::ArrayRef<WindowDimension> window, llvm::ArrayRef<int64_t> window_index,
                     llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides, Visit visit) {
  Index extents;
  for (const WindowDimension& dimension : window) extents.push_back(dimension.size);
  return ForEachIndex(extents, [&](llvm::ArrayRef<int64_t> offset) {
    int64_t position = 0;
    for (size_t i = 0; i < window.size(); ++i) {
      const int64_t dilated = window_index[i] * window[i].stride - window[i].padding_low +
                              offset[i] * window[i].window_dilation;
      if (dilated < 0 || dilated % window[i].base_dilation != 0) return true;
      const int64_t at = dilated / window[i].base_dilation;
      if (at >= sizes[i]) return true;
      position += at * strides[i];
    }
    return visit(position);
  });
}

bool SpendOnWindows(Evaluation& e, int64_t num_windows, llvm::ArrayRef<WindowDimension> window) {
  std::optional<int64_t> steps = num_windows;
  for (const WindowDimension& dimension : window) {
    if (steps) steps = support::CheckedMul(*steps, dimension.size);
  }
  return e.Spend(steps.value_or(-1));
}

}  // namespace

// Padding and the gaps of dilated arrays hold no elements: they are left out.
bool ReduceWindow(Evaluation& e) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(e);
  const llvm::ArrayRef<int64_t> sizes = e.array(0).shape().sizes();
  const Index strides = RowMajorStrides(sizes);
  Reducer reducer(e);
  if (!reducer.MakeResults()) return false;
  if (!SpendOnWindows(e, reducer.result().size(), window)) return false;
  int64_t position = 0;
  return ForEachIndex(reducer.result().shape().sizes(),
                      [&](llvm::ArrayRef<int64_t> window_index) {
                        reducer.Begin();
                        if (!ForEachInWindow(window, window_index, sizes, strides,
                                             [&](int64_t at) { return reducer.Add(at); })) {
                          return false;
                        }
                        reducer.End(position++);
                        return true;
                      }) &&
         reducer.Return();
}

namespace {

// The operand is (operand, source, initial value); the result starts as the initial value.
class SelectAndScatterEvaluation {
 public:
  explicit SelectAndScatterEvaluation(Evaluation& e)
      : e_(e),
        select_(e.session().FunctionOf(*e.instruction().Callee(AttributeName::kSelect))),
        scatter_(e.session().FunctionOf(*e.instruction().Callee(AttributeName::kScatter))),
        window_(WindowOf(e)) {}

  bool Run();

 private:
  bool ScatterOne(llvm::ArrayRef<int64_t> window_index, const Element& source);

  Evaluation& e_;
  const ScalarFunction& select_;
  const ScalarFunction& scatter_;
  llvm::ArrayRef<WindowDimension> window_;
  std::shared_ptr<ArrayValue> result_;
};

// The source element goes to the element of its window that is selected. Every element of the
// window depends on it, and on the whole window: any of them might have been selected.
bool SelectAndScatterEvaluation::ScatterOne(llvm::ArrayRef<int64_t> window_index,
                                            const Element& source) {
  const ArrayValue& operand = e_.array(0);
  const llvm::ArrayRef<int64_t> sizes = operand.shape().sizes();
  const Index strides = RowMajorStrides(sizes);
  int64_t selected = -1;
  SourceSet sources = source.sources;
  const auto visit = [&](int64_t candidate) {
    sources = e_.Union(sources, operand.SourcesOf(candidate));
    if (selected < 0) {
      selected = candidate;
      return true;
    }
    Element keep;
    const Element pair[] = {operand.Get(selected), operand.Get(candidate)};
    if (!select_.Apply(e_.instruction(), e_.device(), pair, keep)) return false;
    if (keep.integer == 0) selected = candidate;
    return true;
  };
  if (!ForEachInWindow(window_, window_index, sizes, strides, visit)) return false;
  if (selected < 0) return true;
  Element combined;
  const Element pair[] = {result_->Get(selected), source};
  if (!scatter_.Apply(e_.instruction(), e_.device(), pair, combined)) return false;
  const SourceSet before = result_->SourcesOf(selected);
  result_->Set(selected, combined);
  result_->SetSources(selected, before);
  return ForEachInWindow(window_, window_index, sizes, strides, [&](int64_t candidate) {
    result_->SetSources(candidate, e_.Union(result_->SourcesOf(candidate), sources));
    return true;
  });
}

bool SelectAndScatterEvaluation::Run() {
  result_ = e_.NewResult();
  if (result_ == nullptr) return false;
  for (int64_t i = 0; i < result_->size(); ++i) result_->CopyFrom(i, e_.array(2), 0);
  const ArrayValue& source = e_.array(1);
  if (!SpendOnWindows(e_, source.size(), window_)) return false;
  int64_t position = 0;
  const auto scatter = [&](llvm::ArrayRef<int64_t> window_index) {
    return ScatterOne(window_index, source.Get(position++));
  };
  return ForEachIndex(source.shape().sizes(), scatter) && e_.Return(result_);
}

}  // namespace

bool SelectAndScatter(Evaluation& e) { return SelectAndScatterEvaluation(e).Run(); }

namespace {

// n arrays, then the carried values; the computation takes a slice of each array and the carried
// values, and gives a slice of each output and the new carried values.
class ScanEvaluation {
 public:
  explicit ScanEvaluation(Evaluation& e) : e_(e) {}

  bool Run();

 private:
  bool Prepare();
  bool Step(int64_t at);

  Evaluation& e_;
  const Computation* callee_ = nullptr;
  size_t num_arrays_ = 0;
  size_t num_carries_ = 0;
  size_t num_outputs_ = 0;
  size_t dimension_ = 0;
  int64_t length_ = 0;
  std::vector<Value> carries_;
  std::vector<std::shared_ptr<ArrayValue>> outputs_;
};

// How to step through the slices of an array along a dimension, and through one of them.
struct Slicing {
  Index sizes;
  Index strides;
  int64_t step = 0;
};

Slicing SlicingOf(const Shape& shape, size_t dimension) {
  Slicing slicing;
  slicing.sizes.assign(shape.sizes().begin(), shape.sizes().end());
  slicing.strides = RowMajorStrides(shape.sizes());
  slicing.step = slicing.strides[dimension];
  slicing.sizes.erase(slicing.sizes.begin() + static_cast<int64_t>(dimension));
  slicing.strides.erase(slicing.strides.begin() + static_cast<int64_t>(dimension));
  return slicing;
}

// Whether an array has that many slices of this shape.
bool HasSlices(const Shape& array, const Shape& slice, size_t dimension, int64_t length) {
  if (!array.IsArray() || !slice.IsArray() || array.rank() != slice.rank() + 1 ||
      static_cast<int64_t>(dimension) >= array.rank() || array.sizes()[dimension] != length ||
      array.element_type() != slice.element_type()) {
    return false;
  }
  const Slicing slicing = SlicingOf(array, dimension);
  return slice.sizes() == llvm::ArrayRef<int64_t>(slicing.sizes);
}

bool ScanEvaluation::Prepare() {
  const Instruction& scan = e_.instruction();
  const auto mismatch = [&] {
    return e_.Fail("the operands, the result and the computation of the scan do not fit together");
  };
  const int64_t carries = scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0);
  const llvm::ArrayRef<int64_t> dimensions = scan.Integers(AttributeName::kDimensions);
  callee_ = scan.Callee(AttributeName::kToApply);
  const Shape& shape = scan.shape();
  const size_t num_results = shape.IsTuple() ? shape.elements().size() : 1;
  if (dimensions.size() != 1 || dimensions[0] < 0 || carries < 0 ||
      carries > static_cast<int64_t>(std::min(e_.num_operands(), num_results)) ||
      callee_->parameters().size() != e_.num_operands()) {
    return mismatch();
  }
  num_carries_ = static_cast<size_t>(carries);
  num_arrays_ = e_.num_operands() - num_carries_;
  num_outputs_ = num_results - num_carries_;
  dimension_ = static_cast<size_t>(dimensions[0]);
  const Shape& root = callee_->root().shape();
  const size_t num_roots = root.IsTuple() ? root.elements().size() : 1;
  if (num_arrays_ == 0 || num_roots != num_results || !e_.operand(0).IsArray() ||
      dimension_ >= e_.array(0).shape().sizes().size()) {
    return mismatch();
  }
  length_ = e_.array(0).shape().sizes()[dimension_];
  const auto root_shape = [&](size_t i) -> const Shape& {
    return root.IsTuple() ? *root.elements()[i] : root;
  };
  for (size_t i = 0; i < e_.num_operands(); ++i) {
    const Shape& parameter = callee_->parameters()[i]->shape();
    const bool fits =
        i < num_arrays_
            ? HasSlices(e_.operand(i).shape(), parameter, dimension_, length_)
            : Compatible(e_.operand(i).shape(), parameter, ShapeAspects::kTypeAndDimensions);
    if (!fits) return mismatch();
  }
  for (size_t i = 0; i < num_results; ++i) {
    const Shape& result = e_.ResultShape(i);
    const bool fits = i < num_outputs_
                          ? HasSlices(result, root_shape(i), dimension_, length_)
                          : Compatible(result, root_shape(i), ShapeAspects::kTypeAndDimensions);
    if (!fits) return mismatch();
  }
  return true;
}

bool ScanEvaluation::Step(int64_t at) {
  std::vector<Arguments> arguments(1);
  for (size_t i = 0; i < num_arrays_; ++i) {
    const Slicing slicing = SlicingOf(e_.array(i).shape(), dimension_);
    const std::shared_ptr<ArrayValue> slice = e_.NewArray(callee_->parameters()[i]->shape());
    if (slice == nullptr) return false;
    ForEachStrided(slicing.sizes, slicing.strides, at * slicing.step,
                   [&](int64_t to, int64_t from) { slice->CopyFrom(to, e_.array(i), from); });
    arguments[0].emplace_back(slice);
  }
  arguments[0].insert(arguments[0].end(), carries_.begin(), carries_.end());
  std::vector<Value> results;
  if (!e_.session().RunComputation(e_.instruction(), *callee_, e_.device(), arguments, results)) {
    return false;
  }
  const auto result = [&](size_t i) {
    return results[0].IsArray() ? results[0] : results[0].elements()[i];
  };
  for (size_t i = 0; i < num_outputs_; ++i) {
    const Value slice = result(i);
    const Slicing slicing = SlicingOf(outputs_[i]->shape(), dimension_);
    ForEachStrided(
        slicing.sizes, slicing.strides, at * slicing.step,
        [&](int64_t from, int64_t to) { outputs_[i]->CopyFrom(to, slice.array(), from); });
  }
  for (size_t i = 0; i < num_carries_; ++i) carries_[i] = result(num_outputs_ + i);
  return true;
}

bool ScanEvaluation::Run() {
  if (!Prepare()) return false;
  for (size_t i = 0; i < num_outputs_; ++i) {
    outputs_.push_back(e_.NewArray(e_.ResultShape(i)));
    if (outputs_.back() == nullptr) return false;
  }
  for (size_t i = 0; i < num_carries_; ++i) carries_.push_back(e_.operand(num_arrays_ + i));
  const bool is_reverse = e_.instruction().Get<bool>(AttributeName::kIsReverse).value_or(false);
  for (int64_t i = 0; i < length_; ++i) {
    if (!Step(is_reverse ? length_ - 1 - i : i)) return false;
  }
  std::vector<Value> elements(outputs_.begin(), outputs_.end());
  elements.insert(elements.end(), carries_.begin(), carries_.end());
  if (!e_.instruction().shape().IsTuple()) return e_.Return(elements.front());
  return e_.Return(Value::Tuple(&e_.instruction().shape(), std::move(elements)));
}

}  // namespace

bool Scan(Evaluation& e) { return ScanEvaluation(e).Run(); }

}  // namespace hlo_indexing::hlo::evaluate
