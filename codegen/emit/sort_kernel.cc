// Sorts, and the largest elements of lines. The threads of a block bring the numbers of a line's
// elements in order, by a bitonic network whose comparisons all put the lesser one first, so that a
// line of any length is as one that ends with elements beyond all others; then each element goes
// where its number is. Of two elements neither of which comes before the other one the first stays
// first: sorts are stable.
//
// Step t of stage s compares, for p = 0, 1, ..., the elements
//
//   t = 0   p mod 2^s and its mirror image in each run of 2^(s+1)
//   t > 0   those that are 2^(s-t) apart, in each run of 2^(s-t+1)
//
// (K. E. Batcher, "Sorting networks and their applications", 1968).
#include <bit>
#include <optional>
#include <vector>

#include "codegen/emit/conversion.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/scalar_functions.h"
#include "codegen/plan/element_steps.h"
#include "codegen/plan/top_k.h"
#include "hlo/attribute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/checked_math.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using indexing_analysis::Variable;
using mlir::Value;

namespace {

class SortEmitter {
 public:
  explicit SortEmitter(KernelEmitter& kernel)
      : kernel_(kernel),
        builder_(kernel.builder()),
        ops_(builder_.ops()),
        elements_(kernel.elements()),
        sort_(*kernel.plan().passes.back().instruction),
        first_output_(kernel.plan().FirstOutputOf(sort_)),
        top_(plan::TopKOf(sort_)),
        dimension_(top_.has_value()
                       ? static_cast<unsigned>(sort_.operand(0).shape().rank() - 1)
                       : static_cast<unsigned>(sort_.Integers(AttributeName::kDimensions).front())),
        length_(sort_.operand(0).shape().sizes()[dimension_]),
        num_threads_(kernel.plan().launch.threads[0]),
        line_(LineMap(length_)),
        stored_(LineMap(top_.has_value() ? top_->count : length_)) {}

  void Emit() {
    if (!FindPlaceOfOrder()) return;
    const IndexingMap& map = kernel_.plan().passes.back().map;
    // Blocks beyond the last line have none; all threads of a block agree.
    const Conditions is_line =
        ConditionsOf(LineOnly(map),
                     LineOnly(plan::AsLaunched(kernel_.plan().launch, map, /*vector_elements=*/1)));
    SetPlace(builder_.Integer(32, 0));
    builder_.If(elements_.EmitConditions(is_line), [&] {
      ForEachNumber(length_, [&](Value place) { StoreOrder(place, place); });
      builder_.Barrier();
      EmitNetwork();
      EmitResults();
    });
  }

 private:
  // The element at a place of the block's line, which is the one range variable.
  IndexingMap LineMap(int64_t length) const {
    const IndexingMap& map = kernel_.plan().passes.back().map;
    llvm::SmallVector<mlir::AffineExpr, 6> results(map.affine_map().getResults());
    results[dimension_] = mlir::getAffineSymbolExpr(0, map.context());
    return {mlir::AffineMap::get(map.affine_map().getNumDims(), 1, results, map.context()),
            WithAllThreads(map),
            {{{0, length - 1}, ""}},
            {},
            {}};
  }
  // What is stored may be fewer elements than there are threads, which all work on the line.
  std::vector<Variable> WithAllThreads(const IndexingMap& map) const {
    std::vector<Variable> dimensions(map.dimensions());
    for (size_t i = 0; i <= plan::kThreadZ; ++i) {
      dimensions[i].bounds = {0, kernel_.plan().launch.threads[i] - 1};
    }
    return dimensions;
  }
  // Without what is said of the place in the line.
  IndexingMap LineOnly(const IndexingMap& map) const {
    std::vector<indexing_analysis::MapConstraint> constraints;
    const unsigned block_y = plan::kBlockY;
    for (const indexing_analysis::MapConstraint& constraint : map.constraints()) {
      if (constraint.expression.isFunctionOfDim(block_y)) constraints.push_back(constraint);
    }
    return {line_.affine_map(),
            WithAllThreads(map),
            std::vector<Variable>(line_.ranges()),
            {},
            constraints};
  }

  // From now on the range variable of line_ is this value.
  void SetPlace(Value place) {
    Values dimensions;
    for (size_t i = 0; i < plan::kThreadDimensionNames.size(); ++i) {
      dimensions.push_back(builder_.ThreadIndex(i));
    }
    elements_.SetVariables(dimensions, {place}, 1);
  }

  // The order is in shared memory, in scratch memory, or where an output will be: in its own
  // elements, which are then read once more, each by the thread that overwrites it.
  bool FindPlaceOfOrder() {
    constexpr int64_t kMostWords = int64_t{1} << 32;
    constexpr int64_t kMostHalves = int64_t{1} << 16;
    if (!kernel_.plan().shared_tiles.empty()) {
      shared_ = builder_.SharedArray(builder_.integer_type(32), length_);
      return true;
    }
    if (length_ == 1) return true;
    if (kernel_.scratch() != nullptr) {
      scratch_ = kernel_.scratch();
      const plan::Launch& launch = kernel_.plan().launch;
      const Value block = arith::AddIOp::create(
          ops_,
          arith::MulIOp::create(ops_, builder_.Resize(builder_.ThreadIndex(plan::kBlockY), 64),
                                builder_.Integer(64, launch.blocks[0])),
          builder_.Resize(builder_.ThreadIndex(plan::kBlockX), 64));
      first_word_ = arith::MulIOp::create(ops_, block, builder_.Integer(64, length_));
      return true;
    }
    for (size_t i = 0; i < sort_.operands().size(); ++i) {
      const int64_t output = first_output_ + static_cast<int64_t>(i);
      const int64_t bits = elements_.OutputBuffer(output).element_bits;
      const int64_t most = bits >= 32 ? kMostWords : kMostHalves;
      if (bits < 16 || length_ > most) continue;
      order_output_ = output;
      order_bits_ = bits >= 32 ? 32 : 16;
      return true;
    }
    kernel_.Fail("has lines that are too long for elements of so few bits");
    return false;
  }

  // Where the order of a place is: the array, and the number of the word there.
  std::pair<Value, Value> WordOf(Value place) {
    if (shared_ != nullptr) return {shared_, place};
    if (scratch_ != nullptr) {
      return {scratch_, arith::AddIOp::create(ops_, first_word_, builder_.Resize(place, 64))};
    }
    SetPlace(place);
    const Buffer& buffer = elements_.OutputBuffer(*order_output_);
    const Value position = elements_.PositionOf(*order_output_, line_);
    const int64_t words = buffer.element_bits / order_bits_;
    if (position == nullptr) return {buffer.base, place};
    const Value wide = builder_.Resize(position, 64);
    return {buffer.base, arith::MulIOp::create(ops_, wide, builder_.Integer(64, words))};
  }
  Value LoadOrder(Value place) {
    if (length_ == 1) return place;
    const auto [base, word] = WordOf(place);
    const mlir::Type type = builder_.integer_type(static_cast<unsigned>(order_bits_));
    const Value order = builder_.Load(base, word, type, 1, order_bits_ / 8);
    if (order_bits_ == 32) return order;
    return arith::ExtUIOp::create(ops_, builder_.integer_type(32), order);
  }
  void StoreOrder(Value place, Value order) {
    if (length_ == 1) return;
    const auto [base, word] = WordOf(place);
    builder_.Store(builder_.Resize(order, static_cast<unsigned>(order_bits_)), base, word,
                   order_bits_ / 8);
  }

  // Calls `body` for numbers th, th + threads, ... below the count.
  void ForEachNumber(int64_t count, llvm::function_ref<void(Value)> body) {
    const int64_t turns = support::CeilDiv(count, num_threads_);
    builder_.For(0, turns - 1, {}, [&](Value turn, mlir::ValueRange) -> Values {
      const Value number =
          arith::AddIOp::create(ops_, builder_.ThreadIndex(0),
                                arith::MulIOp::create(ops_, builder_.Resize(turn, 32),
                                                      builder_.Integer(32, num_threads_)));
      const Value is_one = count % num_threads_ == 0
                               ? Value()
                               : Value(arith::CmpIOp::create(ops_, arith::CmpIPredicate::ult,
                                                             number, builder_.Integer(32, count)));
      builder_.If(is_one, [&] { elements_.InScope([&] { body(number); }); });
      return {};
    });
  }

  void EmitNetwork() {
    const auto power = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length_)));
    const int64_t stages = std::countr_zero(static_cast<uint64_t>(power));
    if (stages == 0) return;
    builder_.For(0, stages - 1, {}, [&](Value stage, mlir::ValueRange) -> Values {
      builder_.For(0, stages - 1, {}, [&](Value step, mlir::ValueRange) -> Values {
        const Value is_step = arith::CmpIOp::create(ops_, arith::CmpIPredicate::ule, step, stage);
        builder_.If(is_step, [&] {
          ForEachNumber(power / 2, [&](Value pair) { EmitPair(stage, step, pair); });
          builder_.Barrier();
        });
        return {};
      });
      return {};
    });
  }

  void EmitPair(Value stage, Value step, Value pair) {
    const auto integer = [&](int64_t value) { return builder_.Integer(32, value); };
    const auto shift_left = [&](Value a, Value b) -> Value {
      return arith::ShLIOp::create(ops_, a, b);
    };
    const auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(ops_, a, b); };
    const auto subtract = [&](Value a, Value b) -> Value {
      return arith::SubIOp::create(ops_, a, b);
    };
    // 2^exponent pairs in each run of twice as many.
    const Value exponent = subtract(stage, step);
    const Value half = shift_left(integer(1), exponent);
    const Value in_half = arith::AndIOp::create(ops_, pair, subtract(half, integer(1)));
    const Value run =
        shift_left(arith::ShRUIOp::create(ops_, pair, exponent), add(exponent, integer(1)));
    const Value first = add(run, in_half);
    const Value mirrored =
        subtract(add(run, subtract(shift_left(half, integer(1)), integer(1))), in_half);
    const Value is_mirrored =
        arith::CmpIOp::create(ops_, arith::CmpIPredicate::eq, step, integer(0));
    const Value second = arith::SelectOp::create(ops_, is_mirrored, mirrored, add(first, half));
    const Value is_inside =
        arith::CmpIOp::create(ops_, arith::CmpIPredicate::ult, second, integer(length_));
    builder_.If(is_inside, [&] {
      elements_.InScope([&] {
        const Value a = LoadOrder(first);
        const Value b = LoadOrder(second);
        builder_.If(ComesBefore(b, a), [&] {
          elements_.InScope([&] {
            StoreOrder(first, b);
            StoreOrder(second, a);
          });
        });
      });
    });
  }

  std::vector<Number> ElementsAt(Value place) {
    return elements_.InScope([&] {
      SetPlace(place);
      std::vector<Number> numbers;
      for (const Instruction* operand : sort_.operands()) {
        numbers.push_back(elements_.Compute(*operand, 0, line_).front());
      }
      return numbers;
    });
  }

  // Whether the element of number b comes before that of number a.
  Value ComesBefore(Value b, Value a) {
    const std::vector<Number> of_a = ElementsAt(a);
    const std::vector<Number> of_b = ElementsAt(b);
    const Value was_first = arith::CmpIOp::create(ops_, arith::CmpIPredicate::ult, b, a);
    if (top_.has_value()) return IsBetter(of_b.front(), of_a.front(), was_first);
    const auto compare = [&](const std::vector<Number>& x, const std::vector<Number>& y) {
      std::vector<Lanes> pairs;
      for (size_t i = 0; i < x.size(); ++i) {
        pairs.push_back({x[i]});
        pairs.push_back({y[i]});
      }
      return elements_.Apply(*sort_.Callee(AttributeName::kToApply), pairs, line_)
          .front()
          .front()
          .value;
    };
    const Value is_less = compare(of_b, of_a);
    const Value is_greater = compare(of_a, of_b);
    const Value is_not_greater = arith::XOrIOp::create(ops_, is_greater, builder_.Integer(1, 1));
    return arith::OrIOp::create(ops_, is_less,
                                arith::AndIOp::create(ops_, is_not_greater, was_first));
  }

  // Whether number b is larger (or smaller) than a, floats in the total order; or equal, and first.
  Value IsBetter(const Number& b, const Number& a, Value was_first) {
    const ElementType type = sort_.operand(0).shape().element_type();
    const auto rank = [&](const Number& number) {
      if (hlo::ClassOf(type) != hlo::ElementClass::kFloat) return number.value;
      return EmitTotalOrderRank(builder_, number, type);
    };
    const bool is_signed = hlo::ClassOf(type) == hlo::ElementClass::kFloat ||
                           hlo::ClassOf(type) == hlo::ElementClass::kSigned;
    const Value of_a = rank(a);
    const Value of_b = rank(b);
    const arith::CmpIPredicate greater =
        is_signed ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
    const Value is_better = arith::CmpIOp::create(ops_, greater, top_->is_largest ? of_b : of_a,
                                                  top_->is_largest ? of_a : of_b);
    const Value is_equal = arith::CmpIOp::create(ops_, arith::CmpIPredicate::eq, of_a, of_b);
    return arith::OrIOp::create(ops_, is_better, arith::AndIOp::create(ops_, is_equal, was_first));
  }

  void EmitResults() {
    ForEachNumber(top_.has_value() ? top_->count : length_, [&](Value place) {
      const Value order = LoadOrder(place);
      std::vector<Number> numbers = ElementsAt(order);
      SetPlace(place);
      if (top_.has_value()) {
        numbers.push_back(
            EmitConvertFromIndex(builder_, order, sort_.shape().ArrayLeaf(1).element_type()));
      }
      // The output that the order is in comes last of this thread's accesses to it.
      for (size_t i = 0; i < numbers.size(); ++i) {
        elements_.Store({numbers[i]}, first_output_ + static_cast<int64_t>(i), stored_);
      }
    });
  }

  KernelEmitter& kernel_;
  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
  ElementEmitter& elements_;
  const Instruction& sort_;
  int64_t first_output_;
  std::optional<plan::TopK> top_;
  unsigned dimension_;
  int64_t length_;
  int64_t num_threads_;
  // Elements of the block's line, and of what is stored of it.
  IndexingMap line_;
  IndexingMap stored_;
  Value shared_;
  Value scratch_;
  Value first_word_;
  std::optional<int64_t> order_output_;
  int64_t order_bits_ = 32;
};

}  // namespace

void EmitSort(KernelEmitter& kernel) { SortEmitter(kernel).Emit(); }

}  // namespace hlo_indexing::emit
