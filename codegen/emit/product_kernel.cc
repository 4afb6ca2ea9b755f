// Products of matrices: in each step along the sum a block brings tiles of both operands to shared
// memory, waits, and multiplies them. The sums stay in registers; what becomes of the elements of
// the result is computed where a thread has them.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "codegen/emit/elementwise.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/shared_array.h"
#include "codegen/plan/thread_map.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementType;
using mlir::Value;
using mlir::ValueRange;
using plan::ElementPass;
using plan::ProductTiles;
using plan::SharedAccess;
using plan::SharedTile;

namespace {

// Ranges of the maps of tiles (our_products.cc): the step comes first.
constexpr size_t kStep = 0;

// One tile of a product, of which the threads have the sums.
class ProductKernel {
 public:
  explicit ProductKernel(KernelEmitter& kernel)
      : kernel_(kernel),
        builder_(kernel.builder()),
        elements_(kernel.elements()),
        tiles_(*kernel.plan().products),
        sum_(builder_, *tiles_.dot) {
    for (const size_t side : {0U, 1U}) {
      const SharedTile& tile = kernel.plan().shared_tiles[side];
      arrays_.push_back(
          std::make_unique<SharedArray>(kernel, tile, tile.hero->shape().element_type()));
    }
  }

  void Emit() {
    kernel_.SetLoops({});
    const Values zeros = Flatten(Lanes(NumberOfSums(), sum_.Zero()));
    sums_ = builder_.For(0, tiles_.steps - 1, zeros, [&](Value step, ValueRange carried) {
      step_ = step;
      return elements_.InScope([&] {
        for (const size_t side : {0U, 1U}) Fill(side);
        builder_.Barrier();
        // The next step fills other tiles.
        return tiles_.uses_tensor_cores ? Multiply(Values(carried)) : AddUp(carried);
      });
    });
    if (tiles_.units[2] > 1) AddPartialSums();
    Store();
  }

 private:
  static constexpr int64_t kColumnsOfMatrix = plan::ProductTiles::kMultiplyColumns;

  size_t NumberOfSums() const {
    const int64_t of_unit = tiles_.rows_of_unit() * tiles_.columns_of_unit();
    constexpr int64_t kLanes = 32;
    return static_cast<size_t>(tiles_.uses_tensor_cores ? of_unit / kLanes : of_unit);
  }

  const SharedAccess& FillOf(size_t side) const {
    return kernel_.plan().shared_tiles[side].accesses.front();
  }
  const SharedAccess& ReadOf(size_t side) const {
    return kernel_.plan().shared_tiles[side].accesses.back();
  }
  static int64_t CountOf(const IndexingMap& map, size_t range) {
    return map.ranges()[range].bounds.upper + 1;
  }
  // The map with these values for ranges from the second one on.
  IndexingMap At(const IndexingMap& map, llvm::ArrayRef<int64_t> values) {
    IndexingMap at = map;
    for (size_t i = 0; i < values.size(); ++i) {
      at = plan::AtRange(at, kStep + 1 + i, values[i], kernel_.plans().maps);
    }
    return at;
  }
  SharedAccess At(const SharedAccess& access, llvm::ArrayRef<int64_t> values) {
    SharedAccess at = access;
    at.index = At(access.index, values);
    return at;
  }

  // The variables of a map that has values for all ranges but the step, which is the first one if
  // there is any, and the lane.
  void SetRanges(const IndexingMap& map, int64_t lanes, Value step) {
    Values ranges;
    for (const indexing_analysis::Variable& range : map.ranges()) {
      ranges.push_back(builder_.Integer(32, range.bounds.lower));
    }
    if (step != nullptr) ranges[kStep] = step;
    if (lanes > 1) ranges.back() = Value();
    elements_.SetVariables(elements_.dimensions(), std::move(ranges), lanes);
  }

  // All of a few vectors are on the way before the first one is stored.
  void Fill(size_t side) {
    constexpr int64_t kAtOnce = 8;
    const ElementPass& load = kernel_.plan().passes[side];
    const SharedAccess& fill = FillOf(side);
    // The map of what is loaded may say that the last ones are no elements.
    const int64_t count = CountOf(fill.index, kStep + 1);
    const int64_t vector = load.vector_elements;
    const Interval steps = {0, tiles_.steps - 1};
    for (int64_t first = 0; first < count; first += kAtOnce) {
      std::vector<Lanes> loaded;
      const int64_t end = std::min(first + kAtOnce, count);
      for (int64_t i = first; i < end; ++i) {
        const IndexingMap at = At(load.map, {i});
        SetRanges(at, vector, step_);
        loaded.push_back(elements_.InScope(
            [&] { return kernel_.ComputeOrZero(*load.instruction, load.leaf, at, steps); }));
      }
      for (int64_t i = first; i < end; ++i) {
        const SharedAccess at = At(fill, {i});
        SetRanges(at.index, vector, step_);
        builder_.If(kernel_.EmitIsElement(at.index),
                    [&] { arrays_[side]->Store(loaded[static_cast<size_t>(i - first)], at); });
      }
    }
  }

  // Four registers of each matrix of rows, two of each matrix of columns.
  std::vector<Values> LoadMatrices(size_t side, int64_t multiply) {
    const SharedAccess& read = ReadOf(side);
    const bool is_single = side == 1 && tiles_.columns_of_unit() == kColumnsOfMatrix;
    std::vector<Values> matrices;
    for (int64_t i = 0; i < CountOf(read.index, kStep + 2); ++i) {
      const SharedAccess at = At(read, {multiply, i});
      SetRanges(at.index, read.vector_elements, step_);
      const Value pointer = arrays_[side]->PointerTo(at);
      const Values words =
          builder_.LoadMatrices(pointer, is_single ? 2 : 4, !tiles_.is_sum_minor[side]);
      constexpr size_t kOfColumns = 2;
      const size_t of_matrix = side == 0 ? words.size() : kOfColumns;
      for (size_t first = 0; first < words.size(); first += of_matrix) {
        matrices.emplace_back(words.begin() + first, words.begin() + first + of_matrix);
      }
    }
    return matrices;
  }

  // Sums are four for each matrix of the result, those of a row of matrices one after the other.
  Values Multiply(Values sums) {
    constexpr size_t kSums = 4;
    const ElementType type = tiles_.dot->operand(0).shape().element_type();
    for (int64_t multiply = 0; multiply < CountOf(ReadOf(0).index, kStep + 1); ++multiply) {
      const std::vector<Values> rows = LoadMatrices(0, multiply);
      const std::vector<Values> columns = LoadMatrices(1, multiply);
      size_t first = 0;
      for (const Values& row : rows) {
        for (const Values& column : columns) {
          const llvm::MutableArrayRef<Value> of_matrix(sums.data() + first, kSums);
          const Values added = builder_.MultiplyMatrices(type, row, column, of_matrix);
          llvm::copy(added, of_matrix.begin());
          first += kSums;
        }
      }
    }
    return sums;
  }

  // Each thread by itself, one product of all its sums after the other.
  Values AddUp(ValueRange carried) {
    return builder_.For(0, tiles_.depth - 1, carried, [&](Value product, ValueRange values) {
      return elements_.InScope([&] {
        std::array<Lanes, 2> factors;
        for (const size_t side : {0U, 1U}) {
          const SharedAccess& read = ReadOf(side);
          const int64_t lanes = read.vector_elements;
          Values ranges = {step_, product, lanes > 1 ? Value() : builder_.Integer(32, 0)};
          elements_.SetVariables(elements_.dimensions(), std::move(ranges), lanes);
          const ElementType type = kernel_.plan().shared_tiles[side].hero->shape().element_type();
          for (const Number& number : arrays_[side]->Load(read)) {
            factors[side].push_back(sum_.Widen(number, type));
          }
        }
        Lanes sums = Unflatten(values, sum_.type());
        size_t next = 0;
        for (const Number& row : factors[0]) {
          for (const Number& column : factors[1]) {
            // lhs comes first, as of complex numbers the products are added in an order.
            const bool is_lhs = tiles_.rows_operand == 0;
            sums[next] = sum_.Add(sums[next], is_lhs ? row : column, is_lhs ? column : row);
            ++next;
          }
        }
        return Flatten(sums);
      });
    });
  }

  // The first group of warps gets what the others have.
  void AddPartialSums() {
    const SharedTile& tile = kernel_.plan().shared_tiles.back();
    const SharedAccess& fill = tile.accesses.front();
    const SharedAccess& read = tile.accesses.back();
    SharedArray array(kernel_, tile, sum_.type());
    const auto at = [&](const SharedAccess& access, llvm::ArrayRef<int64_t> values) {
      SharedAccess of = access;
      for (size_t i = 0; i < values.size(); ++i) {
        of.index = plan::AtRange(of.index, i, values[i], kernel_.plans().maps);
      }
      return of;
    };
    SetRanges(fill.index, 1, Value());
    builder_.If(kernel_.EmitIsElement(fill.index), [&] {
      for (size_t i = 0; i < sums_.size(); ++i) {
        array.Store({{sums_[i], Value()}}, at(fill, {static_cast<int64_t>(i)}));
      }
    });
    builder_.Barrier();
    SetRanges(read.index, 1, Value());
    sums_ = builder_.If(
        kernel_.EmitIsElement(read.index),
        [&] {
          Values sums = sums_;
          for (int64_t group = 0; group < tiles_.units[2] - 1; ++group) {
            for (size_t i = 0; i < sums.size(); ++i) {
              // Matrices of rows, then of columns; of each its halves, and two neighbours.
              const auto number = static_cast<int64_t>(i);
              const int64_t matrix = number / 4;
              const int64_t matrices = tiles_.columns_of_unit() / kColumnsOfMatrix;
              const SharedAccess other = at(
                  read, {group, matrix / matrices, matrix % matrices, number / 2 % 2, number % 2});
              if (other.index.IsKnownEmpty()) continue;
              sums[i] = Plus(sums[i], array.Load(other).front().value);
            }
          }
          return sums;
        },
        [&] { return sums_; });
  }

  Value Plus(Value a, Value b) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    if (mlir::isa<mlir::FloatType>(a.getType())) return arith::AddFOp::create(ops, a, b);
    return arith::AddIOp::create(ops, a, b);
  }

  // The sums of neighbours that the thread has, for these values of all loops but the two
  // innermost.
  Lanes SumsAt(llvm::ArrayRef<int64_t> loops) {
    if (!tiles_.uses_tensor_cores) {
      const int64_t columns = tiles_.columns_of_unit();
      return SumsFrom(loops[0] * columns, columns);
    }
    constexpr int64_t kSums = 4;
    constexpr int64_t kOfHalf = 2;
    const int64_t matrices = tiles_.columns_of_unit() / kColumnsOfMatrix;
    const auto half_of = [&](int64_t matrix) {
      return SumsFrom((loops[0] * matrices + matrix) * kSums + loops[1] * kOfHalf, kOfHalf);
    };
    if (!tiles_.pairs_lanes) return half_of(loops[2]);
    return Exchange(half_of(2 * loops[2]), half_of(2 * loops[2] + 1));
  }
  Lanes SumsFrom(int64_t first, int64_t count) {
    const Lanes all = Unflatten(sums_, sum_.type());
    return {all.begin() + first, all.begin() + first + count};
  }

  // Of two neighbours the even lane gets what both have of the first matrix, the odd one what both
  // have of the second.
  Lanes Exchange(const Lanes& first, const Lanes& second) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const Value lane = builder_.ThreadIndex(plan::kThreadX);
    const Value is_odd = arith::CmpIOp::create(
        ops, arith::CmpIPredicate::ne, arith::AndIOp::create(ops, lane, builder_.Integer(32, 1)),
        builder_.Integer(32, 0));
    const auto choose = [&](Value odd, Value even) -> Value {
      return arith::SelectOp::create(ops, is_odd, odd, even);
    };
    Lanes kept;
    Lanes received;
    for (size_t i = 0; i < first.size(); ++i) {
      kept.push_back({choose(second[i].value, first[i].value), Value()});
      received.push_back(
          {builder_.ShuffleXor(choose(first[i].value, second[i].value), 1), Value()});
    }
    Lanes lanes;
    for (const bool is_left : {true, false}) {
      for (size_t i = 0; i < kept.size(); ++i) {
        // The even lane is the left one.
        const Value of_even = is_left ? kept[i].value : received[i].value;
        const Value of_odd = is_left ? received[i].value : kept[i].value;
        lanes.push_back({choose(of_odd, of_even), Value()});
      }
    }
    return lanes;
  }

  void Store() {
    const plan::KernelPlan& plan = kernel_.plan();
    constexpr size_t kFirstResult = 2;
    const IndexingMap& result = plan.passes[kFirstResult].map;
    std::vector<int64_t> loops(result.num_ranges() - 1, 0);
    const auto vector = plan.passes[kFirstResult].vector_elements;
    // All values of all loops but the innermost, the last one first.
    for (bool is_done = false; !is_done;) {
      const llvm::ArrayRef<int64_t> of_sums = llvm::ArrayRef(loops).drop_back();
      const Lanes sums = SumsAt(of_sums);
      Lanes elements;
      for (int64_t i = 0; i < vector; ++i) {
        elements.push_back(sum_.Finish(sums[static_cast<size_t>(loops.back() * vector + i)]));
      }
      for (size_t i = kFirstResult; i < plan.passes.size(); ++i) {
        StoreElements(plan.passes[i], loops, elements);
      }
      size_t loop = loops.size();
      while (loop > 0 && ++loops[loop - 1] == CountOf(result, loop - 1)) loops[--loop] = 0;
      is_done = loop == 0;
    }
  }

  void StoreElements(const ElementPass& pass, llvm::ArrayRef<int64_t> loops,
                     const Lanes& elements) {
    IndexingMap map = pass.map;
    for (size_t i = 0; i < loops.size(); ++i) {
      map = plan::AtRange(map, i, loops[i], kernel_.plans().maps);
    }
    kernel_.ForElements(map, pass.vector_elements, [&](const IndexingMap& index) {
      // Of a vector that is taken apart, the element that this is called for.
      const bool is_lane = elements.size() > 1 && elements_.lanes() == 1;
      const auto lane = static_cast<size_t>(is_lane ? index.ranges().back().bounds.lower : 0);
      elements_.Provide(*tiles_.dot, [&elements, is_lane, lane](int64_t) {
        return is_lane ? Lanes{elements[lane]} : elements;
      });
      elements_.Store(elements_.Compute(*pass.instruction, pass.leaf, index), *pass.output, index);
      elements_.ForgetProvided();
    });
  }

  KernelEmitter& kernel_;
  KernelBuilder& builder_;
  ElementEmitter& elements_;
  const ProductTiles& tiles_;
  ProductSum sum_;
  std::vector<std::unique_ptr<SharedArray>> arrays_;
  Value step_;
  Values sums_;
};

}  // namespace

void EmitProducts(KernelEmitter& kernel) { ProductKernel(kernel).Emit(); }

}  // namespace hlo_indexing::emit
