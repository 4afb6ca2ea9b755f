// Cholesky decompositions and triangular systems, in f64 or c128 as the interpreter has them, and
// rounded once: what later rows are made of is kept, unrounded, in shared or scratch memory.
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/wide_float.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/checked_math.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using mlir::AffineExpr;
using mlir::Value;
using mlir::ValueRange;

namespace {

class MatrixKernel {
 public:
  explicit MatrixKernel(KernelEmitter& kernel)
      : kernel_(kernel),
        builder_(kernel.builder()),
        ops_(builder_.ops()),
        elements_(kernel.elements()),
        instruction_(*kernel.plan().passes.back().instruction),
        type_(instruction_.shape().element_type()),
        wide_(builder_, IsComplex(type_)),
        size_(instruction_.operand(0).shape().sizes().back()),
        num_threads_(kernel.plan().launch.threads[0]) {
    const plan::KernelPlan& plan = kernel.plan();
    if (plan.shared_tiles.empty()) {
      // Each block has its own part.
      const int64_t words = plan.scratch_bytes / kBytesOfWord / plan.launch.num_blocks();
      const Value block =
          arith::AddIOp::create(ops_,
                                arith::MulIOp::create(ops_, Thread(plan::kBlockY),
                                                      builder_.Integer(32, plan.launch.blocks[0])),
                                Thread(plan::kBlockX));
      first_word_ =
          arith::MulIOp::create(ops_, builder_.Resize(block, 64), builder_.Integer(64, words));
      kept_ = kernel.scratch();
    } else {
      first_word_ = builder_.Integer(64, 0);
      kept_ = builder_.SharedArray(builder_.float_type(64),
                                   plan.shared_tiles.front().bytes() / kBytesOfWord);
    }
  }

  // a = l l^H, column by column: first all sums, then, when the diagonal is known, the quotients.
  // An upper triangle is the lower one of the transposed and conjugated matrix.
  void EmitCholesky() {
    const bool is_lower = instruction_.Get<bool>(AttributeName::kLower).value_or(false);
    const auto read = [&](Value i, Value j) {
      const Number number = Load(0, is_lower ? i : j, is_lower ? j : i);
      return is_lower ? number : wide_.Conjugate(number);
    };
    const auto write = [&](Value i, Value j, const Number& number) {
      Store(is_lower ? i : j, is_lower ? j : i, is_lower ? number : wide_.Conjugate(number));
    };
    const Value size = builder_.Integer(32, size_);
    const auto number_of = [&](Value i, Value j) -> Value {
      return arith::AddIOp::create(ops_, arith::MulIOp::create(ops_, i, size), j);
    };
    builder_.For(0, size_ - 1, {}, [&](Value index, ValueRange) -> Values {
      const Value j = builder_.Resize(index, 32);
      ForEachRow([&](Value i) {
        const Value is_above = Compare(arith::CmpIPredicate::slt, i, j);
        builder_.If(is_above, [&] { write(i, j, wide_.Constant(0)); });
        const Value is_below = Compare(arith::CmpIPredicate::sge, i, j);
        builder_.If(is_below, [&] {
          const Values sums =
              builder_.ForBelow(j, Flatten({read(i, j)}), [&](Value k, ValueRange values) {
                const Number sum = Unflatten(values, wide_.type()).front();
                const Number product =
                    wide_.Multiply(Kept(number_of(i, k)), wide_.Conjugate(Kept(number_of(j, k))));
                return Flatten({wide_.Subtract(sum, product)});
              });
          const Number sum = Unflatten(sums, wide_.type()).front();
          const Value is_diagonal = Compare(arith::CmpIPredicate::eq, i, j);
          const Values kept = builder_.If(
              is_diagonal,
              [&] {
                Number root = wide_.Real(sum);
                root.value = mlir::LLVM::SqrtOp::create(ops_, root.value);
                return Flatten({root});
              },
              [&] { return Flatten({sum}); });
          Keep(number_of(i, j), Unflatten(kept, wide_.type()).front());
        });
      });
      builder_.Barrier();
      ForEachRow([&](Value i) {
        builder_.If(Compare(arith::CmpIPredicate::sgt, i, j), [&] {
          const Number quotient = wide_.DivideByReal(Kept(number_of(i, j)), Kept(number_of(j, j)));
          Keep(number_of(i, j), quotient);
          write(i, j, quotient);
        });
        builder_.If(Compare(arith::CmpIPredicate::eq, i, j),
                    [&] { write(i, j, Kept(number_of(j, j))); });
      });
      builder_.Barrier();
      return {};
    });
  }

  // m x = b by substitution, where m is op(a), or its transpose if x stands on the left: a thread
  // for each right-hand side.
  void EmitTriangularSolve() {
    const auto flag = [&](AttributeName name) {
      return instruction_.Get<bool>(name).value_or(false);
    };
    const auto transpose = instruction_.Get<hlo::Keyword>(AttributeName::kTransposeA);
    const llvm::StringRef kind = transpose ? transpose->text : "NO_TRANSPOSE";
    const bool is_left = flag(AttributeName::kLeftSide);
    const bool is_transposed = kind != "NO_TRANSPOSE";
    const bool swaps = is_transposed == is_left;
    const bool is_forward = flag(AttributeName::kLower) == (is_transposed != is_left);
    const auto coefficient = [&](Value i, Value k) {
      const Number entry = Load(0, swaps ? k : i, swaps ? i : k);
      return kind == "ADJOINT" ? wide_.Conjugate(entry) : entry;
    };
    const llvm::ArrayRef<int64_t> sizes = instruction_.shape().sizes();
    const int64_t count = sizes[sizes.size() - (is_left ? 1 : 2)];
    const Value thread = Thread(plan::kThreadX);
    const Value side = arith::AddIOp::create(
        ops_,
        arith::MulIOp::create(ops_, Thread(plan::kBlockY), builder_.Integer(32, num_threads_)),
        thread);
    const auto number_of = [&](Value i) -> Value {
      return arith::AddIOp::create(
          ops_, arith::MulIOp::create(ops_, i, builder_.Integer(32, num_threads_)), thread);
    };
    const auto in_order = [&](Value step) -> Value {
      if (is_forward) return step;
      return arith::SubIOp::create(ops_, builder_.Integer(32, size_ - 1), step);
    };
    const Value is_side = Compare(arith::CmpIPredicate::slt, side, builder_.Integer(32, count));
    builder_.If(is_side, [&] {
      builder_.For(0, size_ - 1, {}, [&](Value index, ValueRange) -> Values {
        const Value step = builder_.Resize(index, 32);
        const Value i = in_order(step);
        const Number right = Load(1, is_left ? i : side, is_left ? side : i);
        const Values sums =
            builder_.ForBelow(step, Flatten({right}), [&](Value before, ValueRange values) {
              const Value k = in_order(before);
              const Number sum = Unflatten(values, wide_.type()).front();
              const Number product = wide_.Multiply(coefficient(i, k), Kept(number_of(k)));
              return Flatten({wide_.Subtract(sum, product)});
            });
        Number x = Unflatten(sums, wide_.type()).front();
        if (!flag(AttributeName::kUnitDiagonal)) x = wide_.Divide(x, coefficient(i, i));
        Keep(number_of(i), x);
        Store(is_left ? i : side, is_left ? side : i, x);
        return {};
      });
    });
  }

 private:
  static constexpr int64_t kBytesOfWord = 8;

  Value Thread(plan::ThreadDimension dimension) { return builder_.ThreadIndex(dimension); }
  Value Compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(ops_, predicate, a, b);
  }
  void ForEachRow(llvm::function_ref<void(Value)> body) {
    builder_.For(
        0, support::CeilDiv(size_, num_threads_) - 1, {}, [&](Value turn, ValueRange) -> Values {
          const Value row =
              arith::AddIOp::create(ops_,
                                    arith::MulIOp::create(ops_, builder_.Resize(turn, 32),
                                                          builder_.Integer(32, num_threads_)),
                                    Thread(plan::kThreadX));
          builder_.If(Compare(arith::CmpIPredicate::slt, row, builder_.Integer(32, size_)),
                      [&] { body(row); });
          return {};
        });
  }

  // The element at two range variables, a row and a column, of the block's matrix.
  IndexingMap MapTo(const hlo::Shape& shape) {
    const size_t rank = shape.sizes().size();
    plan::ThreadMapBuilder builder(kernel_.plan().launch, kernel_.plans());
    const AffineExpr row = builder.Loop(shape.sizes()[rank - 2]);
    const AffineExpr column = builder.Loop(shape.sizes()[rank - 1]);
    plan::Expressions index =
        plan::Delinearize(builder.Dimension(plan::kBlockX), shape.sizes().drop_back(2));
    index.push_back(row);
    index.push_back(column);
    return builder.Build(index);
  }
  Number Load(size_t operand, Value row, Value column) {
    return elements_.InScope([&] {
      const Instruction& instruction = instruction_.operand(operand);
      kernel_.SetLoops({row, column});
      return wide_.From(elements_.Compute(instruction, 0, MapTo(instruction.shape())).front(),
                        instruction.shape().element_type());
    });
  }
  void Store(Value row, Value column, const Number& number) {
    elements_.InScope([&] {
      kernel_.SetLoops({row, column});
      elements_.Store({wide_.To(number, type_)}, kernel_.plan().FirstOutputOf(instruction_),
                      MapTo(instruction_.shape()));
    });
  }

  Value WordOf(Value number, int64_t part) {
    const int64_t parts = IsComplex(type_) ? 2 : 1;
    const Value word = arith::AddIOp::create(
        ops_, arith::MulIOp::create(ops_, builder_.Resize(number, 64), builder_.Integer(64, parts)),
        builder_.Integer(64, part));
    return arith::AddIOp::create(ops_, first_word_, word);
  }
  void Keep(Value number, const Number& value) {
    builder_.Store(value.value, kept_, WordOf(number, 0), kBytesOfWord);
    if (value.imaginary == nullptr) return;
    builder_.Store(value.imaginary, kept_, WordOf(number, 1), kBytesOfWord);
  }
  Number Kept(Value number) {
    const mlir::Type f64 = builder_.float_type(64);
    const auto load = [&](int64_t part) {
      return builder_.Load(kept_, WordOf(number, part), f64, 1, kBytesOfWord);
    };
    return {load(0), IsComplex(type_) ? load(1) : Value()};
  }

  KernelEmitter& kernel_;
  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
  ElementEmitter& elements_;
  const Instruction& instruction_;
  ElementType type_;
  WideArithmetic wide_;
  int64_t size_;
  int64_t num_threads_;
  Value kept_;
  Value first_word_;
};

}  // namespace

void EmitMatrices(KernelEmitter& kernel) {
  MatrixKernel matrices(kernel);
  const Instruction& instruction = *kernel.plan().passes.back().instruction;
  if (instruction.opcode() == Opcode::kCholesky) return matrices.EmitCholesky();
  matrices.EmitTriangularSolve();
}

}  // namespace hlo_indexing::emit
