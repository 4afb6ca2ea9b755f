#include "python/core/map_program.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "llvm/Support/MathExtras.h"

namespace hlo_indexing::python {

namespace {

// Values of a block stay in the first-level cache.
constexpr size_t kBlock = 512;

using Block = std::array<int64_t, kBlock>;

// Divisions by a positive constant, rounded towards minus infinity. Of numbers from 0 below 2^32,
// and divisors below 2^32, the quotient is the upper half of a product with the reciprocal, rounded
// up: that is too large by less than the divisor, in units of 2^-64, so the product by less than 1
// divided by the divisor.
class Divider {
 public:
  explicit Divider(int64_t divisor) : divisor_(divisor) {
    if (divisor > 1 && divisor < (int64_t{1} << 32)) {
      reciprocal_ = std::numeric_limits<uint64_t>::max() / static_cast<uint64_t>(divisor) + 1;
    }
  }

  int64_t Quotient(int64_t value) const {
    if (reciprocal_ != 0 && (static_cast<uint64_t>(value) >> 32) == 0) {
      __extension__ using Product = unsigned __int128;
      return static_cast<int64_t>(
          (static_cast<Product>(reciprocal_) * static_cast<uint64_t>(value)) >> 64);
    }
    return llvm::divideFloorSigned(value, divisor_);
  }

 private:
  int64_t divisor_;
  uint64_t reciprocal_ = 0;
};

}  // namespace

// The values of one block of points.
class MapProgram::Blocks {
 public:
  Blocks(const MapProgram& program, llvm::ArrayRef<Column> columns)
      : program_(program),
        columns_(columns),
        storage_(std::make_unique_for_overwrite<Block[]>(program.num_values_)),
        values_(program.num_values_) {
    for (size_t i = 0; i < program.num_values_; ++i) values_[i] = storage_[i].data();
    for (const auto& [number, constant] : program.constants_) storage_[number].fill(constant);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].is_constant) storage_[i].fill(*columns[i].data);
    }
  }

  const int64_t* value(size_t number) const { return values_[number]; }
  // The first point of the block at which a value leaves 64 bits, or a divisor is 0.
  size_t first_overflow() const { return first_overflow_; }

  void Load(size_t first, size_t count) {
    count_ = count;
    first_overflow_ = count;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].is_constant) values_[i] = columns_[i].data + first;
    }
    for (const auto& [number, operation] : program_.operations_) {
      Compute(operation, storage_[number].data());
    }
  }

 private:
  template <typename Function>
  void ForEach(int64_t* out, const int64_t* left, const int64_t* right, Function function) {
    for (size_t i = 0; i < count_; ++i) {
      if (function(left[i], right[i], out[i])) [[unlikely]] {
        first_overflow_ = std::min(first_overflow_, i);
        out[i] = 0;
      }
    }
  }

  void Compute(const Operation& operation, int64_t* out) {
    const int64_t* left = values_[operation.left];
    const int64_t* right = values_[operation.right];
    switch (operation.code) {
      case Code::kAdd:
        return ForEach(out, left, right, [](int64_t a, int64_t b, int64_t& result) {
          return __builtin_add_overflow(a, b, &result);
        });
      case Code::kMultiply:
        return ForEach(out, left, right, [](int64_t a, int64_t b, int64_t& result) {
          return __builtin_mul_overflow(a, b, &result);
        });
      default:
        break;
    }
    if (operation.constant.has_value() && *operation.constant > 0 &&
        operation.code != Code::kCeilDiv) {
      const int64_t divisor = *operation.constant;
      const Divider divider(divisor);
      if (operation.code == Code::kFloorDiv) {
        for (size_t i = 0; i < count_; ++i) out[i] = divider.Quotient(left[i]);
      } else {
        for (size_t i = 0; i < count_; ++i) out[i] = left[i] - divider.Quotient(left[i]) * divisor;
      }
      return;
    }
    ForEach(out, left, right, [&](int64_t a, int64_t b, int64_t& result) {
      if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return true;
      const int64_t floor = llvm::divideFloorSigned(a, b);
      if (operation.code == Code::kFloorDiv) result = floor;
      if (operation.code == Code::kCeilDiv) result = llvm::divideCeilSigned(a, b);
      // The sign of the divisor.
      if (operation.code == Code::kMod) result = a - floor * b;
      return false;
    });
  }

  const MapProgram& program_;
  llvm::ArrayRef<Column> columns_;
  std::unique_ptr<Block[]> storage_;
  std::vector<const int64_t*> values_;
  size_t count_ = 0;
  size_t first_overflow_ = 0;
};

MapProgram::MapProgram(const indexing_analysis::IndexingMap& map) : map_(map) {
  for (const auto& variable : map.dimensions()) bounds_.push_back(variable.bounds);
  for (const auto& variable : map.ranges()) bounds_.push_back(variable.bounds);
  for (const auto& variable : map.runtime()) bounds_.push_back(variable.bounds);
  num_values_ = bounds_.size();
  is_empty_ = map.IsKnownEmpty();
  for (const auto& constraint : map.constraints()) {
    constraints_.push_back(
        {NumberOf(constraint.expression, map.num_dimensions()), constraint.bounds});
  }
  for (const mlir::AffineExpr result : map.affine_map().getResults()) {
    results_.push_back(NumberOf(result, map.num_dimensions()));
  }
}

size_t MapProgram::NumberOf(mlir::AffineExpr expression, size_t num_dimensions) {
  if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return dimension.getPosition();
  }
  if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
    return num_dimensions + symbol.getPosition();
  }
  if (const auto found = numbers_.find(expression); found != numbers_.end()) return found->second;
  if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    constants_.emplace_back(num_values_, constant.getValue());
    return numbers_[expression] = num_values_++;
  }
  const auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  Operation operation;
  switch (expression.getKind()) {
    case mlir::AffineExprKind::Add:
      operation.code = Code::kAdd;
      break;
    case mlir::AffineExprKind::Mul:
      operation.code = Code::kMultiply;
      break;
    case mlir::AffineExprKind::FloorDiv:
      operation.code = Code::kFloorDiv;
      break;
    case mlir::AffineExprKind::CeilDiv:
      operation.code = Code::kCeilDiv;
      break;
    default:
      operation.code = Code::kMod;
      break;
  }
  operation.left = NumberOf(binary.getLHS(), num_dimensions);
  operation.right = NumberOf(binary.getRHS(), num_dimensions);
  if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS())) {
    operation.constant = constant.getValue();
  }
  operations_.emplace_back(num_values_, operation);
  return numbers_[expression] = num_values_++;
}

std::optional<MapProgram::Failure> MapProgram::Run(llvm::ArrayRef<Column> columns,
                                                   size_t num_points,
                                                   llvm::ArrayRef<int64_t*> results) const {
  if (is_empty_ && num_points > 0) return Failure{0, Failure::Kind::kConstraint, 0};
  Blocks blocks(*this, columns);
  for (size_t first = 0; first < num_points; first += kBlock) {
    const size_t count = std::min(kBlock, num_points - first);
    blocks.Load(first, count);
    std::optional<Failure> failure;
    // The first point that fails, by the first of the checks that it fails.
    const auto check = [&](const int64_t* values, indexing_analysis::Interval bounds,
                           Failure::Kind kind, size_t number) {
      for (size_t i = 0; i < count; ++i) {
        if (values[i] >= bounds.lower && values[i] <= bounds.upper) continue;
        if (!failure.has_value() || first + i < failure->point) failure = {first + i, kind, number};
        return;
      }
    };
    for (size_t i = 0; i < bounds_.size(); ++i) {
      check(blocks.value(i), bounds_[i], Failure::Kind::kOutsideOfBounds, i);
    }
    if (blocks.first_overflow() < count &&
        (!failure.has_value() || first + blocks.first_overflow() < failure->point)) {
      failure = {first + blocks.first_overflow(), Failure::Kind::kOverflow, 0};
    }
    for (size_t i = 0; i < constraints_.size(); ++i) {
      check(blocks.value(constraints_[i].value), constraints_[i].bounds, Failure::Kind::kConstraint,
            i);
    }
    if (failure.has_value()) return failure;
    for (size_t i = 0; i < results_.size(); ++i) {
      std::copy_n(blocks.value(results_[i]), count, results[i] + first);
    }
  }
  return std::nullopt;
}

void MapProgram::ContainsOneByOne(llvm::ArrayRef<Column> columns, size_t first, size_t count,
                                  bool* is_inside) const {
  llvm::SmallVector<int64_t, 8> point(columns.size());
  for (size_t i = first; i < first + count; ++i) {
    for (size_t k = 0; k < columns.size(); ++k) {
      point[k] = columns[k].is_constant ? *columns[k].data : columns[k].data[i];
    }
    const llvm::ArrayRef<int64_t> values = point;
    is_inside[i] = map_.DomainContains(values.take_front(map_.num_dimensions()),
                                       values.drop_front(map_.num_dimensions()));
  }
}

void MapProgram::Contains(llvm::ArrayRef<Column> columns, size_t num_points,
                          bool* is_inside) const {
  std::fill_n(is_inside, num_points, !is_empty_);
  if (is_empty_) return;
  Blocks blocks(*this, columns);
  for (size_t first = 0; first < num_points; first += kBlock) {
    const size_t count = std::min(kBlock, num_points - first);
    blocks.Load(first, count);
    if (blocks.first_overflow() < count) {
      // Which sum it is matters: that of a constraint or that of a result.
      ContainsOneByOne(columns, first, count, is_inside);
      continue;
    }
    const auto check = [&](const int64_t* values, indexing_analysis::Interval bounds) {
      for (size_t i = 0; i < count; ++i) {
        is_inside[first + i] &= values[i] >= bounds.lower && values[i] <= bounds.upper;
      }
    };
    for (size_t i = 0; i < bounds_.size(); ++i) check(blocks.value(i), bounds_[i]);
    for (const Checked& constraint : constraints_) {
      check(blocks.value(constraint.value), constraint.bounds);
    }
  }
}

}  // namespace hlo_indexing::python
