// Batch normalizations: the threads of a block sum up a feature, in f64, in the same order each
// time, and then make its elements.
#include <array>
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/wide_float.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;
using mlir::ValueRange;

namespace {

constexpr int64_t kWarpSize = 32;

class NormalizationKernel {
 public:
  explicit NormalizationKernel(KernelEmitter& kernel)
      : kernel_(kernel),
        builder_(kernel.builder()),
        elements_(kernel.elements()),
        wide_(builder_, /*is_complex=*/false),
        norm_(*kernel.plan().passes.back().instruction),
        num_warps_(kernel.plan().launch.threads[0] / kWarpSize),
        shared_(builder_.SharedArray(builder_.float_type(64), 2 * num_warps_)) {
    const llvm::ArrayRef<plan::ElementPass> passes = kernel.plan().passes;
    stores_ = passes.take_back(3);
    of_feature_ = passes.front().map;
    const hlo::Shape& shape = norm_.operand(0).shape();
    const auto feature = static_cast<size_t>(norm_.Required<int64_t>(AttributeName::kFeatureIndex));
    const int64_t count = shape.num_elements() / shape.sizes()[feature];
    count_ = static_cast<double>(count);
    epsilon_ = static_cast<float>(norm_.Required<double>(AttributeName::kEpsilon));
  }

  // (operand, scale, offset) -> (normalized, mean, biased variance)
  void EmitTraining() {
    const std::vector<Number> of_feature = LoadFeature({1, 2});
    const Number count = wide_.Constant(count_);
    const Number sum = Sum(1, [&] { return Values{Load(0).value}; }).front();
    const Number mean = wide_.Divide(sum, count);
    const Number squares = Sum(1, [&] {
                             const Number centered = wide_.Subtract(Load(0), mean);
                             return Values{wide_.Multiply(centered, centered).value};
                           }).front();
    const Number variance = wide_.Divide(squares, count);
    const Number factor = Factor(variance);
    ForEach([&] {
      const Number normalized = wide_.Multiply(wide_.Subtract(Load(0), mean), factor);
      Store(0, wide_.Add(wide_.Multiply(normalized, of_feature[0]), of_feature[1]));
    });
    StoreStatistics({mean, variance});
  }

  // (operand, scale, mean, variance, gradient of the output) -> the gradients of (operand, scale,
  // offset). With y = (x - mean) factor over n elements and g the gradient:
  //   d offset = sum g,  d scale = sum g y,  d x = scale factor (g - (d offset + y d scale) / n)
  void EmitGradient() {
    const std::vector<Number> of_feature = LoadFeature({1, 2, 3});
    const Number& mean = of_feature[1];
    const Number factor = Factor(of_feature[2]);
    const std::vector<Number> sums = Sum(2, [&] {
      const Number gradient = Load(4);
      const Number product = wide_.Multiply(gradient, wide_.Subtract(Load(0), mean));
      return Values{gradient.value, wide_.Multiply(product, factor).value};
    });
    const Number scale = wide_.Multiply(of_feature[0], factor);
    ForEach([&] {
      const Number y = wide_.Multiply(wide_.Subtract(Load(0), mean), factor);
      const Number all = wide_.Add(sums[0], wide_.Multiply(y, sums[1]));
      const Number rest = wide_.Subtract(Load(4), wide_.Divide(all, wide_.Constant(count_)));
      Store(0, wide_.Multiply(scale, rest));
    });
    StoreStatistics({sums[1], sums[0]});
  }

 private:
  Number Factor(const Number& variance) {
    const Number deviation = wide_.Sqrt(wide_.Add(variance, wide_.Constant(epsilon_)));
    return wide_.Divide(wide_.Constant(1), deviation);
  }
  Number LoadAt(size_t operand, const IndexingMap& map) {
    const Instruction& instruction = norm_.operand(operand);
    return wide_.From(elements_.Compute(instruction, 0, map).front(),
                      instruction.shape().element_type());
  }
  Number Load(size_t operand) { return LoadAt(operand, stores_.front().map); }
  void Store(size_t output, const Number& number) {
    const plan::ElementPass& pass = stores_[output];
    const ElementType type = norm_.shape().ArrayLeaf(pass.leaf).element_type();
    elements_.Store({wide_.To(number, type)}, *pass.output, pass.map);
  }
  void ForEach(llvm::function_ref<void()> body) {
    kernel_.ForElements(stores_.front().map, 1, [&](const IndexingMap&) { body(); });
    kernel_.SetLoops({});
  }
  void StoreStatistics(const std::array<Number, 2>& statistics) {
    kernel_.ForElements(stores_[1].map, 1, [&](const IndexingMap&) {
      for (size_t i = 0; i < statistics.size(); ++i) Store(i + 1, statistics[i]);
    });
  }

  // What there is one of for each feature; 0 in blocks that have no feature.
  std::vector<Number> LoadFeature(llvm::ArrayRef<size_t> operands) {
    const Values none(operands.size(), wide_.Constant(0).value);
    const Values loaded = kernel_.ForElements(of_feature_, 1, none, [&](ValueRange) {
      Values values;
      for (const size_t operand : operands) values.push_back(LoadAt(operand, of_feature_).value);
      return values;
    });
    kernel_.SetLoops({});
    std::vector<Number> numbers;
    for (const Value value : loaded) numbers.push_back({value, Value()});
    return numbers;
  }

  // Sums over all elements of the block, which all threads get: each sums up its own, the lanes of
  // a warp add theirs in pairs, and every thread adds those of the warps one after the other.
  std::vector<Number> Sum(size_t count, llvm::function_ref<Values()> terms) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const auto add = [&](ValueRange a, ValueRange b) {
      Values sums;
      for (size_t i = 0; i < count; ++i) sums.push_back(arith::AddFOp::create(ops, a[i], b[i]));
      return sums;
    };
    const Values zeros(count, wide_.Constant(0).value);
    Values sums = kernel_.ForElements(stores_.front().map, 1, zeros,
                                      [&](ValueRange values) { return add(values, terms()); });
    kernel_.SetLoops({});
    for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2) {
      Values others;
      for (const Value sum : sums) {
        others.push_back(builder_.ShuffleDown(sum, distance, kWarpSize));
      }
      sums = add(sums, others);
    }
    const Value thread = builder_.ThreadIndex(plan::kThreadX);
    const auto word = [&](Value warp, size_t i) -> Value {
      return arith::AddIOp::create(
          ops, arith::MulIOp::create(ops, warp, builder_.Integer(32, static_cast<int64_t>(count))),
          builder_.Integer(32, static_cast<int64_t>(i)));
    };
    const Value lane = arith::RemUIOp::create(ops, thread, builder_.Integer(32, kWarpSize));
    const Value warp = arith::DivUIOp::create(ops, thread, builder_.Integer(32, kWarpSize));
    const Value is_first =
        arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, lane, builder_.Integer(32, 0));
    builder_.If(is_first, [&] {
      for (size_t i = 0; i < count; ++i) builder_.Store(sums[i], shared_, word(warp, i), 8);
    });
    builder_.Barrier();
    const Values totals =
        builder_.For(0, num_warps_ - 1, zeros, [&](Value other, ValueRange values) {
          Values parts;
          for (size_t i = 0; i < count; ++i) {
            parts.push_back(builder_.Load(shared_, word(builder_.Resize(other, 32), i),
                                          builder_.float_type(64), 1, 8));
          }
          return add(values, parts);
        });
    // The next sum overwrites these.
    builder_.Barrier();
    std::vector<Number> numbers;
    for (const Value total : totals) numbers.push_back({total, Value()});
    return numbers;
  }

  KernelEmitter& kernel_;
  KernelBuilder& builder_;
  ElementEmitter& elements_;
  WideArithmetic wide_;
  const Instruction& norm_;
  int64_t num_warps_;
  Value shared_;
  llvm::ArrayRef<plan::ElementPass> stores_;
  IndexingMap of_feature_;
  double count_ = 0;
  double epsilon_ = 0;
};

}  // namespace

void EmitNormalization(KernelEmitter& kernel) {
  NormalizationKernel normalization(kernel);
  const Instruction& norm = *kernel.plan().passes.back().instruction;
  if (norm.opcode() == Opcode::kBatchNormTraining) return normalization.EmitTraining();
  normalization.EmitGradient();
}

}  // namespace hlo_indexing::emit
