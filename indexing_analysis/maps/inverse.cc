#include "indexing_analysis/maps/inverse.h"

#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/maps/write_map.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/inverse.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::DigitContext;
using simplifier::InverseMap;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::VariableId;

// Writes an inverse; its variables are the results of the original, then the free ones.
class InverseWriter {
 public:
  InverseWriter(DigitContext& context, const IndexingMap& original, const InverseMap& inverse)
      : context_(context), original_(original), inverse_(inverse) {}

  std::optional<IndexingMap> Write() {
    const QuasiAffineMap& map = inverse_.map;
    const size_t num_results = original_.affine_map().getNumResults();
    for (size_t i = 0; i < num_results; ++i) dimensions_.push_back({map.boxes[i], ""});
    FindRanges();
    const size_t first_runtime = original_.num_dimensions() + original_.num_ranges();
    const auto symbol = [&](const Atom& atom) { return atom.variable - first_runtime; };
    const llvm::ArrayRef<Sum> results = map.results;
    return Write(results.take_front(original_.num_dimensions()), map.constraints,
                 original_.runtime(), symbol);
  }

 private:
  // The free variables that something mentions.
  void FindRanges() {
    llvm::SmallPtrSet<const Atom*, 16> seen;
    std::vector<bool> mentioned(inverse_.map.boxes.size(), false);
    const auto mention = [&](const Atom& atom) {
      if (atom.kind == AtomKind::kVariable) mentioned[atom.variable] = true;
    };
    for (const Sum& result : inverse_.map.results) ForEachAtom(result, seen, mention);
    for (const auto& constraint : inverse_.map.constraints) {
      ForEachAtom(constraint.expression, seen, mention);
    }
    for (size_t i = dimensions_.size(); i < mentioned.size(); ++i) {
      if (!mentioned[i]) continue;
      range_variables_.push_back(static_cast<VariableId>(i));
      ranges_.push_back({inverse_.map.boxes[i], ""});
    }
  }

  using RuntimeNumber = llvm::function_ref<size_t(const Atom&)>;

  std::optional<IndexingMap> Write(llvm::ArrayRef<Sum> results,
                                   llvm::ArrayRef<simplifier::Constraint> constraints,
                                   llvm::ArrayRef<RuntimeVariable> runtime,
                                   RuntimeNumber runtime_number) {
    MapVariables variables = {dimensions_, ranges_, runtime};
    for (RuntimeVariable& variable : variables.runtime) {
      if (variable.index.IsUnknown()) continue;
      const std::optional<IndexingMap> index = WriteIndex(variable.index);
      if (!index) return std::nullopt;
      variable.index = *index;
    }
    const auto number = [&](const Atom& atom) -> size_t {
      if (atom.IsFunction()) return dimensions_.size() + ranges_.size() + runtime_number(atom);
      if (atom.variable < dimensions_.size()) return atom.variable;
      const auto position = llvm::find(range_variables_, atom.variable) - range_variables_.begin();
      return dimensions_.size() + static_cast<size_t>(position);
    };
    return WriteMap(context_, results, constraints, std::move(variables), number,
                    original_.context());
  }

  // The map of a runtime variable's index, whose dimensions and ranges are the original's.
  std::optional<IndexingMap> WriteIndex(const IndexingMap& index) {
    const llvm::ArrayRef<Sum> values = inverse_.map.results;
    llvm::SmallVector<Sum, 4> symbols(values.drop_front(original_.num_dimensions()));
    const uint32_t first = next_function_;
    for (const RuntimeVariable& nested : index.runtime()) {
      symbols.push_back(context_.Function(next_function_++, {}, nested.bounds));
    }
    simplifier::AffineReader reader(context_, values.take_front(original_.num_dimensions()),
                                    symbols);
    llvm::SmallVector<Sum, 4> results;
    for (const mlir::AffineExpr result : index.affine_map().getResults()) {
      results.push_back(reader.Read(result));
    }
    return Write(results, {}, index.runtime(),
                 [&](const Atom& atom) { return atom.variable - first; });
  }

  DigitContext& context_;
  const IndexingMap& original_;
  const InverseMap& inverse_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  llvm::SmallVector<VariableId, 4> range_variables_;
  // Numbers of runtime variables inside indices, apart from those of the map.
  uint32_t next_function_ = uint32_t{1} << 31;
};

IndexingMap EmptyInverse(const IndexingMap& map) {
  const llvm::SmallVector<mlir::AffineExpr> zeros(map.num_dimensions(),
                                                  mlir::getAffineConstantExpr(0, map.context()));
  const unsigned num_results = map.affine_map().getNumResults();
  // At no point there is an index of an element.
  std::vector<RuntimeVariable> runtime(map.num_runtime());
  for (size_t i = 0; i < runtime.size(); ++i) {
    runtime[i].bounds = map.runtime()[i].bounds;
    runtime[i].name = map.runtime()[i].name;
  }
  const auto affine_map = mlir::AffineMap::get(
      num_results, static_cast<unsigned>(map.num_runtime()), zeros, map.context());
  return IndexingMap::KnownEmpty(
      IndexingMap(affine_map, std::vector<Variable>(num_results, {Interval::Empty(), ""}), {},
                  std::move(runtime), {}));
}

}  // namespace

absl::StatusOr<IndexingMap> Inverse(const IndexingMap& map) {
  if (map.IsUnknown()) return IndexingMap();
  DigitContext context;
  QuasiAffineMap f = ReadMap(context, map, RuntimeVariablesAs::kFunctions);
  if (!f.empty) simplifier::Simplify(context, f);
  if (f.empty) return EmptyInverse(map);
  if (simplifier::HasManyDivisions(f)) {
    return absl::ResourceExhaustedError("the map has more than " +
                                        std::to_string(simplifier::kMostInvertedDivisions) +
                                        " different divisions");
  }
  // The index of a runtime variable may need the values of the ranges.
  const bool needs_ranges = llvm::any_of(
      map.runtime(), [](const RuntimeVariable& variable) { return !variable.index.IsUnknown(); });
  const size_t num_wanted = map.num_dimensions() + (needs_ranges ? map.num_ranges() : 0);
  const InverseMap inverse = simplifier::Invert(context, f, num_wanted);
  if (inverse.map.empty) return EmptyInverse(map);
  const std::optional<IndexingMap> written = InverseWriter(context, map, inverse).Write();
  if (!written) {
    return absl::OutOfRangeError(
        "an expression of the inverse overflows 64 bits, divides by zero or is too long to be "
        "written");
  }
  return Simplify(*written);
}

}  // namespace hlo_indexing::indexing_analysis
