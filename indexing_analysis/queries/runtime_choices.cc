#include "indexing_analysis/queries/runtime_choices.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using mlir::AffineExpr;
using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::Term;

// Dimensions and ranges as expressions of the map.
std::vector<AffineExpr> VariablesOf(const IndexingMap& map) {
  std::vector<AffineExpr> variables;
  for (size_t i = 0; i < map.num_dimensions(); ++i) {
    variables.push_back(mlir::getAffineDimExpr(static_cast<unsigned>(i), map.context()));
  }
  for (size_t i = 0; i < map.num_ranges(); ++i) {
    variables.push_back(mlir::getAffineSymbolExpr(static_cast<unsigned>(i), map.context()));
  }
  return variables;
}

bool MentionsVariable(AffineExpr expression, const IndexingMap& map) {
  for (size_t i = 0; i < map.num_dimensions(); ++i) {
    if (expression.isFunctionOfDim(static_cast<unsigned>(i))) return true;
  }
  for (size_t i = 0; i < map.num_ranges(); ++i) {
    if (expression.isFunctionOfSymbol(static_cast<unsigned>(i))) return true;
  }
  return false;
}

bool MentionsRuntime(AffineExpr expression, const IndexingMap& map) {
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    if (expression.isFunctionOfSymbol(static_cast<unsigned>(map.num_ranges() + i))) return true;
  }
  return false;
}

bool HasFunctions(const Sum& sum) {
  bool has_functions = false;
  llvm::SmallPtrSet<const Atom*, 16> seen;
  simplifier::ForEachAtom(sum, seen, [&](const Atom& atom) { has_functions |= atom.IsFunction(); });
  return has_functions;
}

// Whether values known at run time move the image and change nothing else: they are terms of their
// own in the results.
bool OnlyMoves(const IndexingMap& map) {
  DigitContext context;
  QuasiAffineMap f = ReadMap(context, map, RuntimeVariablesAs::kFunctions);
  if (!f.empty) simplifier::Simplify(context, f);
  if (f.empty) return true;
  const bool is_in_domain = llvm::any_of(f.constraints, [](const simplifier::Constraint& one) {
    return HasFunctions(one.expression);
  });
  return !is_in_domain && llvm::all_of(f.results, [](const Sum& result) {
    return llvm::all_of(result.terms, [](const Term& term) {
      if (term.atom->IsFunction()) return term.IsWhole();
      return llvm::none_of(term.atom->arguments, HasFunctions);
    });
  });
}

// The expressions that say which element each varying value is: values at points where these agree
// are equal.
std::vector<AffineExpr> PlacesOfVaryingValues(const IndexingMap& map) {
  std::vector<AffineExpr> places;
  for (const RuntimeVariable& value : map.runtime()) {
    if (UniformValue(value).has_value()) continue;
    if (value.index.IsUnknown() || value.index.num_runtime() != 0 ||
        value.index.num_ranges() != map.num_ranges()) {
      return VariablesOf(map);
    }
    llvm::append_range(places, value.index.affine_map().getResults());
  }
  return places;
}

IndexingMap WithResults(const IndexingMap& map, llvm::ArrayRef<AffineExpr> results) {
  return map.WithResults(mlir::AffineMap::get(
      map.affine_map().getNumDims(), map.affine_map().getNumSymbols(), results, map.context()));
}

// The map where each of these variables that an expression mentions has the value at one end of its
// bounds.
IndexingMap AtOneEnd(const IndexingMap& map, llvm::ArrayRef<AffineExpr> expressions,
                     bool is_upper_end) {
  llvm::SmallVector<MapConstraint, 4> constraints(map.constraints());
  const std::vector<AffineExpr> variables = VariablesOf(map);
  for (size_t i = 0; i < variables.size(); ++i) {
    const bool is_dimension = i < map.num_dimensions();
    const auto number = static_cast<unsigned>(is_dimension ? i : i - map.num_dimensions());
    const bool is_mentioned = llvm::any_of(expressions, [&](AffineExpr expression) {
      return is_dimension ? expression.isFunctionOfDim(number)
                          : expression.isFunctionOfSymbol(number);
    });
    if (!is_mentioned) continue;
    const Interval bounds =
        is_dimension ? map.dimensions()[number].bounds : map.ranges()[number].bounds;
    constraints.push_back(
        {variables[i], Interval::Point(is_upper_end ? bounds.upper : bounds.lower)});
  }
  return IndexingMap(map.affine_map(), std::vector<Variable>(map.dimensions()),
                     std::vector<Variable>(map.ranges()), {}, constraints);
}

Image::Count Exactly(const DynamicAPInt& count) { return {count, count}; }

Image ImageOfKnown(const IndexingMap& map) { return ImageOf(map).value_or(Image()); }

}  // namespace

std::optional<std::string> UniformValue(const RuntimeVariable& variable) {
  // The number of the device, and what a map in text leaves open.
  if (variable.instruction == nullptr) {
    return absl::StrCat(variable.name, " in ", variable.bounds.ToString());
  }
  const IndexingMap& index = variable.index;
  if (index.IsUnknown()) return std::nullopt;
  std::string text = absl::StrCat(reinterpret_cast<uintptr_t>(variable.instruction), ".",
                                  variable.leaf, " in ", variable.bounds.ToString());
  for (const hlo::Instruction* call : variable.calls) {
    absl::StrAppend(&text, " of ", reinterpret_cast<uintptr_t>(call));
  }
  for (const AffineExpr result : index.affine_map().getResults()) {
    if (MentionsVariable(result, index)) return std::nullopt;
    absl::StrAppend(&text, " at ", index.ToString(result));
  }
  for (const RuntimeVariable& nested : index.runtime()) {
    const std::optional<std::string> value = UniformValue(nested);
    if (!value.has_value()) return std::nullopt;
    absl::StrAppend(&text, " (", *value, ")");
  }
  return text;
}

IndexingMap WithValues(const IndexingMap& map, llvm::ArrayRef<int64_t> values) {
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (size_t i = 0; i < map.num_ranges(); ++i) {
    symbols.push_back(mlir::getAffineSymbolExpr(static_cast<unsigned>(i), map.context()));
  }
  for (const int64_t value : values) {
    symbols.push_back(mlir::getAffineConstantExpr(value, map.context()));
  }
  const mlir::AffineMap results = map.affine_map().replaceDimsAndSymbols(
      {}, symbols, map.affine_map().getNumDims(), static_cast<unsigned>(map.num_ranges()));
  llvm::SmallVector<MapConstraint, 4> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({constraint.expression.replaceSymbols(symbols), constraint.bounds});
  }
  return IndexingMap(results, std::vector<Variable>(map.dimensions()),
                     std::vector<Variable>(map.ranges()), {}, constraints);
}

ReachPerChoice ReachForAnyChoice(const IndexingMap& map) {
  ReachPerChoice reach;
  if (map.num_runtime() == 0) {
    const Image image = ImageOfKnown(map);
    return {image.size, image.points};
  }
  const DynamicAPInt most_elements = ImageOfKnown(map).size.upper;
  const bool is_in_domain = llvm::any_of(map.constraints(), [&](const MapConstraint& constraint) {
    return MentionsRuntime(constraint.expression, map);
  });
  if (is_in_domain) {
    const Image points = ImageOfKnown(WithResults(map, VariablesOf(map)));
    reach.points = {DynamicAPInt(0), points.size.upper};
    reach.elements = {DynamicAPInt(0), std::min(most_elements, points.size.upper)};
    return reach;
  }
  std::vector<int64_t> values;
  for (const RuntimeVariable& value : map.runtime()) values.push_back(value.bounds.lower);
  const IndexingMap at_lower_ends = WithValues(map, values);
  const Image image = ImageOfKnown(at_lower_ends);
  reach.points = image.points;
  if (!OnlyMoves(map)) {
    reach.elements = {DynamicAPInt(image.points.lower > 0 ? 1 : 0),
                      std::min(most_elements, image.points.upper)};
    return reach;
  }
  const std::vector<AffineExpr> places = PlacesOfVaryingValues(map);
  if (places.empty()) {
    reach.elements = image.size;
    return reach;
  }
  // At least what is reached with one value; at most, that for each value.
  reach.elements = Exactly(DynamicAPInt(0));
  for (const bool is_upper_end : {false, true}) {
    const Image one = ImageOfKnown(AtOneEnd(at_lower_ends, places, is_upper_end));
    reach.elements.lower = std::max(reach.elements.lower, one.size.lower);
  }
  std::vector<AffineExpr> results(at_lower_ends.affine_map().getResults());
  llvm::append_range(results, places);
  const Image each = ImageOfKnown(WithResults(at_lower_ends, results));
  reach.elements.upper = std::min(most_elements, each.size.upper);
  return reach;
}

std::optional<UniformChoices> UniformChoices::Of(llvm::ArrayRef<IndexingMap> maps,
                                                 int64_t max_choices) {
  UniformChoices choices;
  std::map<std::string, size_t> numbers;
  for (const IndexingMap& map : maps) {
    choices.maps_.push_back(map);
    std::vector<size_t>& values = choices.values_of_map_.emplace_back();
    for (const RuntimeVariable& variable : map.runtime()) {
      const std::optional<std::string> value = UniformValue(variable);
      if (!value.has_value() || variable.bounds.IsEmpty()) return std::nullopt;
      const auto [found, is_new] = numbers.try_emplace(*value, choices.bounds_.size());
      values.push_back(found->second);
      if (!is_new) continue;
      choices.bounds_.push_back(variable.bounds);
      const auto width = support::CheckedSub(variable.bounds.upper, variable.bounds.lower);
      if (!width.has_value() || *width >= max_choices) return std::nullopt;
      max_choices /= *width + 1;
    }
  }
  return choices;
}

void UniformChoices::ForEach(llvm::function_ref<void(llvm::ArrayRef<IndexingMap>)> visit) const {
  std::vector<int64_t> choice;
  for (const Interval& bounds : bounds_) choice.push_back(bounds.lower);
  while (true) {
    std::vector<IndexingMap> maps;
    for (size_t i = 0; i < maps_.size(); ++i) {
      llvm::SmallVector<int64_t, 4> values;
      for (const size_t value : values_of_map_[i]) values.push_back(choice[value]);
      maps.push_back(WithValues(maps_[i], values));
    }
    visit(maps);
    size_t i = 0;
    while (i < bounds_.size() && choice[i] == bounds_[i].upper) {
      choice[i] = bounds_[i].lower;
      ++i;
    }
    if (i == bounds_.size()) return;
    ++choice[i];
  }
}

}  // namespace hlo_indexing::indexing_analysis
