#include "tests/codegen/explain/every_thread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/AffineExpr.h"
#include "support/checked_math.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using plan::KernelAccess;

constexpr int64_t kWarpSize = 32;

// An expression as a program for a stack of numbers: millions of points are evaluated.
class Program {
 public:
  Program(mlir::AffineExpr expression, size_t num_dimensions) { Add(expression, num_dimensions); }

  int64_t At(const std::vector<int64_t>& variables) const {
    llvm::SmallVector<int64_t, 8> stack;
    for (const auto& [kind, operand] : steps_) {
      if (kind == mlir::AffineExprKind::Constant) {
        stack.push_back(operand);
      } else if (kind == mlir::AffineExprKind::DimId) {
        stack.push_back(variables[static_cast<size_t>(operand)]);
      } else {
        const int64_t b = stack.pop_back_val();
        int64_t& a = stack.back();
        if (kind == mlir::AffineExprKind::Add) a += b;
        if (kind == mlir::AffineExprKind::Mul) a *= b;
        if (kind == mlir::AffineExprKind::FloorDiv) a = support::FloorDiv(a, b);
        if (kind == mlir::AffineExprKind::Mod) a = support::FloorMod(a, b);
      }
    }
    return stack.back();
  }

 private:
  struct Step {
    mlir::AffineExprKind kind;
    int64_t operand = 0;
  };

  void Add(mlir::AffineExpr expression, size_t num_dimensions) {
    if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
      steps_.push_back({mlir::AffineExprKind::Constant, constant.getValue()});
    } else if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
      steps_.push_back({mlir::AffineExprKind::DimId, dimension.getPosition()});
    } else if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
      steps_.push_back({mlir::AffineExprKind::DimId,
                        static_cast<int64_t>(num_dimensions) + symbol.getPosition()});
    } else {
      const auto operation = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
      Add(operation.getLHS(), num_dimensions);
      Add(operation.getRHS(), num_dimensions);
      steps_.push_back({operation.getKind()});
    }
  }

  std::vector<Step> steps_;
};

// An access as all threads of the grid make it.
class EveryThread {
 public:
  // Values known at run time are drawn: each number of a draw gives others.
  EveryThread(const KernelAccess& access, int64_t sector_bytes, uint64_t draw)
      : access_(access),
        map_(access.element),
        num_dimensions_(map_.num_dimensions()),
        sector_bits_(sector_bytes * 8),
        draw_(draw) {
    for (const auto& constraint : map_.constraints()) {
      constraints_.emplace_back(Program(constraint.expression, num_dimensions_), constraint.bounds);
    }
    for (const auto& value : map_.runtime()) {
      std::vector<Program>& index = runtime_index_.emplace_back();
      for (const mlir::AffineExpr result : value.index.affine_map().getResults()) {
        index.emplace_back(result, num_dimensions_);
      }
    }
    // Row-major, where the shape has no layout.
    const auto sizes = access.shape->sizes();
    llvm::SmallVector<int64_t, 6> minor_to_major;
    for (size_t i = sizes.size(); i > 0; --i) minor_to_major.push_back(static_cast<int64_t>(i) - 1);
    if (access.shape->layout() != nullptr) minor_to_major = access.shape->layout()->minor_to_major;
    strides_.resize(sizes.size());
    int64_t stride = 1;
    for (const int64_t dimension : minor_to_major) {
      strides_[static_cast<size_t>(dimension)] = stride;
      stride *= sizes[static_cast<size_t>(dimension)];
    }
    for (const mlir::AffineExpr result : map_.affine_map().getResults()) {
      results_.emplace_back(result, num_dimensions_);
    }
  }

  Traffic Count(std::optional<int64_t> vector_elements) {
    std::vector<Interval> outer;
    for (size_t i = 3; i < 6; ++i) outer.push_back(map_.dimensions()[i].bounds);
    const int64_t threads =
        access_.access.threads[0] * access_.access.threads[1] * access_.access.threads[2];
    outer.push_back({0, support::CeilDiv(threads, kWarpSize) - 1});
    for (unsigned i = 0; i < map_.num_ranges(); ++i) {
      const bool is_last = i + 1 == map_.num_ranges();
      // What does not depend on a loop is done once, before it.
      const Interval bounds = map_.ranges()[i].bounds;
      const Interval run = Mentions(i) ? bounds : Interval{bounds.lower, bounds.lower};
      if (is_last) last_ = run;
      outer.push_back(is_last ? Interval{0, 0} : run);
    }
    std::vector<int64_t> values;
    for (const Interval& bounds : outer) values.push_back(bounds.lower);
    for (;;) {
      CountIterations(values, threads);
      size_t i = 0;
      while (i < values.size() && values[i] == outer[i].upper) {
        values[i] = outer[i].lower;
        ++i;
      }
      if (i == values.size()) break;
      ++values[i];
    }
    size_t width = kWidths - 1;
    if (vector_elements.has_value()) {
      width = static_cast<size_t>(llvm::Log2_64(static_cast<uint64_t>(*vector_elements)));
      EXPECT_TRUE(is_vector_[width]) << "no vectors of " << *vector_elements;
    } else {
      while (!is_vector_[width]) --width;
    }
    return traffic_[width];
  }

 private:
  static constexpr size_t kWidths = 5;  // vectors of 1, 2, 4, 8 and 16 elements

  bool Mentions(unsigned range) const {
    bool is_mentioned = map_.affine_map().isFunctionOfSymbol(range);
    for (const auto& constraint : map_.constraints()) {
      is_mentioned |= constraint.expression.isFunctionOfSymbol(range);
    }
    return is_mentioned;
  }

  // The iterations of the last loop of a warp, by itself and as vectors.
  void CountIterations(const std::vector<int64_t>& outer, int64_t threads) {
    const int64_t iterations = last_.upper - last_.lower + 1;
    std::vector<std::optional<int64_t>> positions;
    for (int64_t lane = 0; lane < kWarpSize; ++lane) {
      const int64_t thread = outer[3] * kWarpSize + lane;
      for (int64_t i = 0; i < iterations; ++i) {
        positions.push_back(thread < threads ? PositionAt(outer, thread, last_.lower + i)
                                             : std::nullopt);
      }
    }
    const int64_t bits = access_.access.element_bits;
    for (size_t w = 0; w < kWidths; ++w) {
      const int64_t width = int64_t{1} << w;
      const int64_t allowed = std::min({access_.access.vector_elements, iterations, 128 / bits});
      is_vector_[w] = is_vector_[w] && (w == 0 || (width <= allowed && iterations % width == 0));
      for (int64_t i = 0; i < iterations && is_vector_[w]; i += width) {
        std::vector<int64_t> elements;
        for (int64_t lane = 0; lane < kWarpSize; ++lane) {
          const auto vector = llvm::ArrayRef(positions).slice(
              static_cast<size_t>(lane * iterations + i), static_cast<size_t>(width));
          is_vector_[w] = is_vector_[w] && IsVector(vector);
          if (!is_vector_[w] || !vector.front().has_value()) continue;
          for (const auto& position : vector) elements.push_back(*position);
        }
        AddRequest(std::move(elements), traffic_[w]);
      }
    }
  }

  static bool IsVector(llvm::ArrayRef<std::optional<int64_t>> positions) {
    const auto width = static_cast<int64_t>(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i].has_value() != positions[0].has_value()) return false;
      if (!positions[0].has_value()) continue;
      if (*positions[i] != *positions[0] + static_cast<int64_t>(i)) return false;
      if (*positions[0] % width != 0) return false;
    }
    return true;
  }

  void AddRequest(std::vector<int64_t> elements, Traffic& traffic) const {
    const auto sort = [](std::vector<int64_t>& numbers) {
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    };
    sort(elements);
    const int64_t bits = access_.access.element_bits;
    traffic.requests += elements.empty() ? 0 : 1;
    traffic.least += support::CeilDiv(static_cast<int64_t>(elements.size()) * bits, sector_bits_);
    for (int64_t& element : elements) element = element * bits / sector_bits_;
    sort(elements);
    traffic.sectors += static_cast<int64_t>(elements.size());
  }

  std::optional<int64_t> PositionAt(const std::vector<int64_t>& outer, int64_t thread,
                                    int64_t last) {
    const auto& threads = access_.access.threads;
    variables_ = {thread % threads[0],
                  thread / threads[0] % threads[1],
                  thread / threads[0] / threads[1],
                  outer[0],
                  outer[1],
                  outer[2]};
    for (size_t i = 0; i < 3; ++i) {
      if (variables_[i] > map_.dimensions()[i].bounds.upper) return std::nullopt;
      if (variables_[i] < map_.dimensions()[i].bounds.lower) return std::nullopt;
    }
    variables_.insert(variables_.end(), outer.begin() + 4, outer.end());
    if (map_.num_ranges() != 0) variables_.back() = last;
    for (size_t i = 0; i < runtime_index_.size(); ++i) {
      variables_.push_back(DrawnValue(i));
    }
    for (const auto& [expression, bounds] : constraints_) {
      const int64_t value = expression.At(variables_);
      if (value < bounds.lower || value > bounds.upper) return std::nullopt;
    }
    int64_t position = 0;
    for (size_t i = 0; i < results_.size(); ++i) {
      const int64_t index = results_[i].At(variables_);
      EXPECT_GE(index, 0);
      EXPECT_LT(index, access_.shape->sizes()[i]);
      position += index * strides_[i];
    }
    return position;
  }

  // The same for the same element. The first draw is one end of the bounds and the other in turns:
  // neighbours are far apart.
  int64_t DrawnValue(size_t i) const {
    const Interval bounds = map_.runtime()[i].bounds;
    int64_t sum = 0;
    uint64_t drawn = Mix(draw_) + i;
    for (const Program& index : runtime_index_[i]) {
      const int64_t value = index.At(variables_);
      sum += value;
      drawn = Mix(drawn + static_cast<uint64_t>(value));
    }
    if (draw_ == 0) return sum % 2 == 0 ? bounds.lower : bounds.upper;
    const auto size = static_cast<uint64_t>(bounds.upper - bounds.lower + 1);
    return bounds.lower + static_cast<int64_t>(Mix(drawn) % size);
  }

  static uint64_t Mix(uint64_t number) {
    number = (number ^ (number >> 31)) * 0x9E3779B97F4A7C15;
    return number ^ (number >> 29);
  }

  const KernelAccess& access_;
  const IndexingMap& map_;
  size_t num_dimensions_;
  int64_t sector_bits_;
  uint64_t draw_;
  Interval last_ = {0, 0};
  std::vector<int64_t> strides_;
  std::vector<std::pair<Program, Interval>> constraints_;
  std::vector<std::vector<Program>> runtime_index_;
  std::vector<Program> results_;
  std::vector<int64_t> variables_;
  std::array<bool, kWidths> is_vector_ = {true, true, true, true, true};
  std::array<Traffic, kWidths> traffic_;
};

}  // namespace

Traffic CountByEveryThread(const KernelAccess& access, int64_t sector_bytes, uint64_t draw,
                           std::optional<int64_t> vector_elements) {
  return EveryThread(access, sector_bytes, draw).Count(vector_elements);
}

}  // namespace hlo_indexing::explain
