#include "tests/isl/isl_relation.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>

#include "llvm/ADT/DenseMap.h"

// What takes more operations than an oracle allows, isl gives up in the middle, and does not free
// all that it has then. The name is LeakSanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() { return "leak:libisl.so"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using mlir::AffineExprKind;

// Affine expressions of one map as functions on the space of its variables.
class ExpressionTranslator {
 public:
  ExpressionTranslator(const isl::space& space, size_t num_dimensions)
      : space_(space), num_dimensions_(num_dimensions) {}

  isl::aff Translate(mlir::AffineExpr expression) {
    if (const auto known = memo_.find(expression); known != memo_.end()) return known->second;
    isl::aff aff = Compute(expression);
    memo_[expression] = aff;
    return aff;
  }

  isl::aff Constant(int64_t value) const {
    return isl::manage(isl_aff_val_on_domain_space(space_.copy(), Value(value)));
  }

 private:
  isl_val* Value(int64_t value) const { return isl_val_int_from_si(space_.ctx().get(), value); }

  isl::aff VariableAt(size_t position) const {
    isl_local_space* local = isl_local_space_from_space(space_.copy());
    return isl::manage(isl_aff_var_on_domain(local, isl_dim_set, static_cast<unsigned>(position)));
  }

  isl::aff Compute(mlir::AffineExpr expression) {
    if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
      return Constant(constant.getValue());
    }
    if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
      return VariableAt(dimension.getPosition());
    }
    if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
      return VariableAt(num_dimensions_ + symbol.getPosition());
    }
    const auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
    const isl::aff a = Translate(binary.getLHS());
    const isl::aff b = Translate(binary.getRHS());
    switch (expression.getKind()) {
      case AffineExprKind::Add:
        return a.add(b);
      case AffineExprKind::Mul:
        return a.mul(b);
      case AffineExprKind::FloorDiv:
        return a.div(b).floor();
      case AffineExprKind::CeilDiv:
        return a.div(b).ceil();
      default:
        // Of the divisor's sign, which isl's own remainder does not know.
        return a.sub(b.mul(a.div(b).floor()));
    }
  }

  isl::space space_;
  size_t num_dimensions_;
  llvm::DenseMap<mlir::AffineExpr, isl::aff> memo_;
};

// The variables of a map, then its domain and its function.
class MapTranslator {
 public:
  MapTranslator(isl::ctx context, const IndexingMap& map)
      : context_(context), map_(map), expressions_(SetSpace(), map.num_dimensions()) {}

  isl::set Domain() {
    if (map_.IsKnownEmpty()) return isl::manage(isl_set_empty(SetSpace().release()));
    isl::set domain = isl::manage(isl_set_universe(SetSpace().release()));
    unsigned position = 0;
    const auto bound = [&](const Interval& bounds) {
      domain = isl::manage(
          isl_set_lower_bound_val(domain.release(), isl_dim_set, position, Value(bounds.lower)));
      domain = isl::manage(
          isl_set_upper_bound_val(domain.release(), isl_dim_set, position, Value(bounds.upper)));
      ++position;
    };
    for (const auto& variable : map_.dimensions()) bound(variable.bounds);
    for (const auto& variable : map_.ranges()) bound(variable.bounds);
    for (const auto& variable : map_.runtime()) bound(variable.bounds);
    for (const auto& constraint : map_.constraints()) {
      const isl::aff value = expressions_.Translate(constraint.expression);
      domain = domain.intersect(value.ge_set(expressions_.Constant(constraint.bounds.lower)));
      domain = domain.intersect(value.le_set(expressions_.Constant(constraint.bounds.upper)));
    }
    return domain;
  }

  isl::map Function() {
    const unsigned num_results = map_.affine_map().getNumResults();
    isl_space* space = isl_space_alloc(context_.get(), 0, NumVariables(), num_results);
    isl::multi_aff results = isl::manage(isl_multi_aff_zero(space));
    for (unsigned i = 0; i < num_results; ++i) {
      isl::aff result = expressions_.Translate(map_.affine_map().getResult(i));
      results = isl::manage(
          isl_multi_aff_set_aff(results.release(), static_cast<int>(i), result.release()));
    }
    return isl::manage(isl_map_from_multi_aff(results.release())).intersect_domain(Domain());
  }

 private:
  unsigned NumVariables() const {
    return static_cast<unsigned>(map_.num_dimensions() + map_.num_ranges() + map_.num_runtime());
  }
  isl::space SetSpace() const {
    return isl::manage(isl_space_set_alloc(context_.get(), 0, NumVariables()));
  }
  isl_val* Value(int64_t value) const { return isl_val_int_from_si(context_.get(), value); }

  mutable isl::ctx context_;
  const IndexingMap& map_;
  ExpressionTranslator expressions_;
};

}  // namespace

IslOracle::IslOracle() : context_(isl_ctx_alloc()) {
  isl_ctx_set_max_operations(context_.get(), kMaxOperations);
  isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
}

IslOracle::~IslOracle() { isl_ctx_free(context_.get()); }

isl::set IslOracle::Domain(const IndexingMap& map) const {
  return MapTranslator(context_, map).Domain();
}

isl::map IslOracle::Function(const IndexingMap& map) const {
  return MapTranslator(context_, map).Function();
}

isl::map IslOracle::Relation(const IndexingMap& map) const {
  isl::map function = Function(map);
  return isl::manage(isl_map_project_out(function.release(), isl_dim_in,
                                         static_cast<unsigned>(map.num_dimensions()),
                                         static_cast<unsigned>(map.num_ranges())));
}

isl::set IslOracle::Box(llvm::ArrayRef<simplifier::Progression> sides) const {
  const auto rank = static_cast<unsigned>(sides.size());
  isl::set counts = isl::manage(isl_set_universe(isl_space_set_alloc(context_.get(), 0, rank)));
  isl::multi_aff values =
      isl::manage(isl_multi_aff_zero(isl_space_alloc(context_.get(), 0, rank, rank)));
  const auto value = [&](int64_t number) { return isl_val_int_from_si(context_.get(), number); };
  for (unsigned i = 0; i < rank; ++i) {
    counts = isl::manage(isl_set_lower_bound_val(counts.release(), isl_dim_set, i, value(0)));
    counts = isl::manage(
        isl_set_upper_bound_val(counts.release(), isl_dim_set, i, value(sides[i].size - 1)));
    isl_aff* side = isl_aff_var_on_domain(
        isl_local_space_from_space(isl_space_set_alloc(context_.get(), 0, rank)), isl_dim_set, i);
    side = isl_aff_scale_val(side, value(sides[i].stride));
    side = isl_aff_add_constant_val(side, value(sides[i].offset));
    values = isl::manage(isl_multi_aff_set_aff(values.release(), static_cast<int>(i), side));
  }
  return isl::manage(isl_map_from_multi_aff(values.release())).intersect_domain(counts).range();
}

std::optional<int64_t> ToInteger(const isl::val& value) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  isl::ctx context = value.ctx();
  const isl::val limit = isl::manage(isl_val_int_from_si(context.get(), kLimit));
  if (!value.is_int() || value.abs().gt(limit)) return std::nullopt;
  return isl_val_get_num_si(value.get());
}

}  // namespace hlo_indexing::testing
