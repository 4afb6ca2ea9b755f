// Batch normalization: statistics per feature, computed in f64 and rounded once.
#include <cmath>

#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// A number with what it was computed from.
struct Tracked {
  double value = 0;
  SourceSet sources = kNoSources;
};

class BatchNorm {
 public:
  explicit BatchNorm(Evaluation& e) : e_(e) {}

  // Checks the operands: (operand, per feature..., and, in `like`, the number of one more that is
  // as the operand). False after an error.
  bool Prepare(size_t num_per_feature, size_t like = 0);

  int64_t num_features() const { return num_features_; }
  // A float, as XLA has it.
  double epsilon() const {
    return static_cast<float>(e_.instruction().Required<double>(AttributeName::kEpsilon));
  }
  // Elements per feature.
  double count() const { return count_; }
  Tracked Feature(size_t operand, int64_t feature) { return Get(operand, feature); }
  Tracked Get(size_t operand, int64_t position) {
    const Element element = e_.array(operand).Get(position);
    return {element.real, element.sources};
  }
  SourceSet Union(std::initializer_list<SourceSet> sets) {
    SourceSet all = kNoSources;
    for (const SourceSet set : sets) all = e_.Union(all, set);
    return all;
  }
  // Calls visit(position) for each element of a feature.
  template <typename Visit>
  void ForEach(int64_t feature, Visit visit) {
    ForEachStrided(sizes_, strides_, feature * feature_stride_,
                   [&](int64_t, int64_t position) { visit(position); });
  }
  void Set(ArrayValue& array, int64_t position, double value, SourceSet sources) {
    Element element = FloatElement(value);
    element.sources = sources;
    array.Set(position, element);
  }
  // The results: as the operand, and per feature.
  bool MakeResults(std::vector<std::shared_ptr<ArrayValue>>& results) {
    const size_t count =
        e_.instruction().shape().IsTuple() ? e_.instruction().shape().elements().size() : 1;
    for (size_t i = 0; i < count; ++i) {
      if (ClassOf(e_.ResultShape(i).element_type()) != ElementClass::kFloat) {
        return e_.Fail("batch normalization gives floats");
      }
      results.push_back(e_.NewArray(e_.ResultShape(i)));
      if (results.back() == nullptr) return false;
    }
    return true;
  }

 private:
  Evaluation& e_;
  int64_t num_features_ = 0;
  int64_t feature_stride_ = 0;
  double count_ = 0;
  Index sizes_;
  Index strides_;
};

bool BatchNorm::Prepare(size_t num_per_feature, size_t like) {
  for (size_t i = 0; i < e_.num_operands(); ++i) {
    if (!e_.operand(i).IsArray() || ClassOf(e_.array(i).type()) != ElementClass::kFloat) {
      return e_.Fail("the operands must be arrays of floats");
    }
  }
  const llvm::ArrayRef<int64_t> sizes = e_.array(0).shape().sizes();
  const int64_t feature = e_.instruction().Required<int64_t>(AttributeName::kFeatureIndex);
  if (feature < 0 || feature >= static_cast<int64_t>(sizes.size())) {
    return e_.Fail("feature_index is no dimension of " + e_.array(0).shape().ToString());
  }
  num_features_ = sizes[feature];
  for (size_t i = 1; i <= num_per_feature; ++i) {
    if (e_.array(i).shape().rank() == 1 && e_.array(i).size() == num_features_) continue;
    return e_.Fail("operand " + std::to_string(i) + " must have one value for each of the " +
                   std::to_string(num_features_) + " features");
  }
  if (e_.array(like).shape().sizes() != sizes) {
    return e_.Fail("operand " + std::to_string(like) + " must have the dimensions of operand 0");
  }
  strides_ = RowMajorStrides(sizes);
  feature_stride_ = strides_[feature];
  sizes_.assign(sizes.begin(), sizes.end());
  sizes_[feature] = std::min<int64_t>(num_features_, 1);
  count_ = num_features_ == 0
               ? 0
               : static_cast<double>(e_.array(0).size()) / static_cast<double>(num_features_);
  return true;
}

}  // namespace

// (operand, scale, offset) -> (normalized, mean, biased variance)
bool BatchNormTraining(Evaluation& e) {
  BatchNorm norm(e);
  std::vector<std::shared_ptr<ArrayValue>> results;
  if (!norm.Prepare(2) || !norm.MakeResults(results)) return false;
  for (int64_t f = 0; f < norm.num_features(); ++f) {
    Tracked mean;
    norm.ForEach(f, [&](int64_t i) {
      const Tracked x = norm.Get(0, i);
      mean = {mean.value + x.value, norm.Union({mean.sources, x.sources})};
    });
    mean.value /= norm.count();
    double variance = 0;
    norm.ForEach(f, [&](int64_t i) {
      const double centered = norm.Get(0, i).value - mean.value;
      variance += centered * centered;
    });
    variance /= norm.count();
    const double factor = 1 / std::sqrt(variance + norm.epsilon());
    const Tracked scale = norm.Feature(1, f);
    const Tracked offset = norm.Feature(2, f);
    const SourceSet sources = norm.Union({mean.sources, scale.sources, offset.sources});
    norm.ForEach(f, [&](int64_t i) {
      const double normalized = (norm.Get(0, i).value - mean.value) * factor;
      norm.Set(*results[0], i, normalized * scale.value + offset.value, sources);
    });
    norm.Set(*results[1], f, mean.value, mean.sources);
    norm.Set(*results[2], f, variance, mean.sources);
  }
  return e.ReturnEach(std::move(results));
}

// (operand, scale, offset, mean, variance)
bool BatchNormInference(Evaluation& e) {
  BatchNorm norm(e);
  std::vector<std::shared_ptr<ArrayValue>> results;
  if (!norm.Prepare(4) || !norm.MakeResults(results)) return false;
  for (int64_t f = 0; f < norm.num_features(); ++f) {
    const Tracked scale = norm.Feature(1, f);
    const Tracked offset = norm.Feature(2, f);
    const Tracked mean = norm.Feature(3, f);
    const Tracked variance = norm.Feature(4, f);
    const double factor = 1 / std::sqrt(variance.value + norm.epsilon());
    const SourceSet sources =
        norm.Union({scale.sources, offset.sources, mean.sources, variance.sources});
    norm.ForEach(f, [&](int64_t i) {
      const Tracked x = norm.Get(0, i);
      norm.Set(*results[0], i, (x.value - mean.value) * factor * scale.value + offset.value,
               norm.Union({x.sources, sources}));
    });
  }
  return e.ReturnEach(std::move(results));
}

// (operand, scale, mean, variance, gradient of the output) -> the gradients of (operand, scale,
// offset). With y = (x - mean) / sqrt(variance + epsilon) over n elements and g the gradient:
//   d offset = sum g,  d scale = sum g y,
//   d x = scale / sqrt(variance + epsilon) * (g - d offset / n - y * d scale / n)
bool BatchNormGrad(Evaluation& e) {
  BatchNorm norm(e);
  std::vector<std::shared_ptr<ArrayValue>> results;
  if (!norm.Prepare(3, /*like=*/4) || !norm.MakeResults(results)) return false;
  for (int64_t f = 0; f < norm.num_features(); ++f) {
    const Tracked scale = norm.Feature(1, f);
    const Tracked mean = norm.Feature(2, f);
    const Tracked variance = norm.Feature(3, f);
    const double factor = 1 / std::sqrt(variance.value + norm.epsilon());
    Tracked d_offset;
    Tracked d_scale = {0, norm.Union({mean.sources, variance.sources})};
    norm.ForEach(f, [&](int64_t i) {
      const Tracked x = norm.Get(0, i);
      const Tracked g = norm.Get(4, i);
      d_offset = {d_offset.value + g.value, norm.Union({d_offset.sources, g.sources})};
      d_scale = {d_scale.value + g.value * (x.value - mean.value) * factor,
                 norm.Union({d_scale.sources, x.sources, g.sources})};
    });
    const SourceSet sources = norm.Union({d_scale.sources, scale.sources});
    norm.ForEach(f, [&](int64_t i) {
      const double y = (norm.Get(0, i).value - mean.value) * factor;
      const double rest =
          norm.Get(4, i).value - (d_offset.value + y * d_scale.value) / norm.count();
      norm.Set(*results[0], i, scale.value * factor * rest, sources);
    });
    norm.Set(*results[1], f, d_scale.value, d_scale.sources);
    norm.Set(*results[2], f, d_offset.value, d_offset.sources);
  }
  return e.ReturnEach(std::move(results));
}

}  // namespace hlo_indexing::hlo::evaluate
