#include "indexing_analysis/queries/warp_requests.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/queries/coordinates.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "simplifier/quasi_affine_map.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using mlir::AffineExpr;
using simplifier::DigitContext;
using simplifier::QuasiAffineMap;
using simplifier::Sum;
using simplifier::Term;
using simplifier::VariableId;

constexpr int64_t kWarpSize = 32;
using Lanes = llvm::SmallVector<int64_t, kWarpSize>;

// The variables of an access by warps: dimensions of a map.
enum WarpVariable : uint8_t { kLane, kElement, kWarp, kThreadY, kThreadZ, kBlocks };
constexpr size_t kNumThreadDimensions = 3;

// The thread's place in the block as an expression of lane and warp, and the bounds of the
// variables for that.
struct ThreadPlace {
  std::array<AffineExpr, kNumThreadDimensions> threads;
  std::array<int64_t, 3> sizes = {1, 1, 1};  // of the warp, th_y and th_z
  // Lanes of the last warp that there are not.
  std::optional<MapConstraint> existing;
};

ThreadPlace PlaceOfThread(const std::array<int64_t, 3>& threads, mlir::MLIRContext* context) {
  const AffineExpr lane = mlir::getAffineDimExpr(kLane, context);
  const AffineExpr warp = mlir::getAffineDimExpr(kWarp, context);
  const AffineExpr number = warp * kWarpSize + lane;
  ThreadPlace place;
  if (threads[0] % kWarpSize == 0) {
    place.threads = {number, mlir::getAffineDimExpr(kThreadY, context),
                     mlir::getAffineDimExpr(kThreadZ, context)};
    place.sizes = {threads[0] / kWarpSize, threads[1], threads[2]};
    return place;
  }
  const int64_t all = threads[0] * threads[1] * threads[2];
  place.threads = {number % threads[0], number.floorDiv(threads[0]) % threads[1],
                   number.floorDiv(threads[0] * threads[1])};
  place.sizes = {support::CeilDiv(all, kWarpSize), 1, 1};
  if (all % kWarpSize != 0) place.existing = MapConstraint{number, {0, all - 1}};
  return place;
}

// The access in the variables of WarpVariable, then blocks and loops, the last loop cut into
// vectors: results are the offset in bits, then what the values known at run time are indexed by.
struct WarpAccess {
  IndexingMap map;
  // For each of these values, its results.
  std::vector<RuntimeKey> keys;
  size_t num_grid_variables = 0;
};

// Expressions in the variables of the position that say which element a value known at run time is:
// lanes for which they are the same have the same value. An index that is itself made of such
// values is the same if these are. False if that is not known, or if these are more than
// `most_values`, which counts down.
bool AppendPlacesOf(const RuntimeVariable& value, const IndexingMap& position, int& most_values,
                    llvm::SmallVectorImpl<AffineExpr>& places) {
  const IndexingMap& index = value.index;
  if (most_values-- == 0 || index.IsUnknown() ||
      index.num_dimensions() != position.num_dimensions()) {
    return false;
  }
  for (const AffineExpr result : index.affine_map().getResults()) {
    bool has_inner = false;
    bool has_others = false;
    bool has_other_ranges = false;
    result.walk([&](AffineExpr part) {
      if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(part)) {
        const bool is_inner = symbol.getPosition() >= index.num_ranges();
        (is_inner ? has_inner : has_others) = true;
        has_other_ranges |= !is_inner && symbol.getPosition() >= position.num_ranges();
      }
      has_others |= mlir::isa<mlir::AffineDimExpr>(part);
    });
    if (has_other_ranges || (has_inner && has_others)) return false;
    if (!has_inner) places.push_back(result);
  }
  return llvm::all_of(index.runtime(), [&](const RuntimeVariable& inner) {
    return AppendPlacesOf(inner, position, most_values, places);
  });
}

WarpAccess AccessOfWarps(const MemoryAccess& access, int64_t vector_elements) {
  const IndexingMap& position = access.position;
  mlir::MLIRContext* context = position.context();
  ThreadPlace place = PlaceOfThread(access.threads, context);
  llvm::SmallVector<AffineExpr, 8> dimensions(place.threads.begin(), place.threads.end());
  std::vector<Variable> variables = {{{0, kWarpSize - 1}, ""},
                                     {{0, vector_elements - 1}, ""},
                                     {{0, place.sizes[0] - 1}, ""},
                                     {{0, place.sizes[1] - 1}, ""},
                                     {{0, place.sizes[2] - 1}, ""}};
  const auto add = [&](Interval bounds) {
    variables.push_back({bounds, ""});
    return mlir::getAffineDimExpr(static_cast<unsigned>(variables.size() - 1), context);
  };
  for (const Variable& block : position.dimensions().drop_front(kNumThreadDimensions)) {
    dimensions.push_back(add(block.bounds));
  }
  WarpAccess result;
  result.num_grid_variables = variables.size();
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (size_t i = 0; i < position.num_ranges(); ++i) {
    const Interval bounds = position.ranges()[i].bounds;
    if (vector_elements == 1 || i + 1 != position.num_ranges()) {
      symbols.push_back(add(bounds));
      continue;
    }
    // Vectors begin at multiples of their size.
    symbols.push_back(add({support::FloorDiv(bounds.lower, vector_elements),
                           support::FloorDiv(bounds.upper, vector_elements)}) *
                          vector_elements +
                      mlir::getAffineDimExpr(kElement, context));
  }
  std::vector<RuntimeVariable> runtime;
  for (const RuntimeVariable& value : position.runtime()) {
    symbols.push_back(mlir::getAffineSymbolExpr(static_cast<unsigned>(runtime.size()), context));
    runtime.push_back({.bounds = value.bounds, .name = "", .calls = {}, .index = {}});
  }
  const auto replace = [&](AffineExpr expression) {
    return expression.replaceDimsAndSymbols(dimensions, symbols);
  };
  llvm::SmallVector<AffineExpr, 4> results = {replace(position.affine_map().getResult(0)) *
                                              access.element_bits};
  for (const RuntimeVariable& value : position.runtime()) {
    RuntimeKey& key = result.keys.emplace_back();
    llvm::SmallVector<AffineExpr, 2> places;
    int most_values = 64;
    key.is_unknown = !AppendPlacesOf(value, position, most_values, places);
    if (key.is_unknown) continue;
    for (const AffineExpr place_of_value : places) {
      key.sums.push_back(results.size());
      results.push_back(replace(place_of_value));
    }
  }
  llvm::SmallVector<MapConstraint, 4> constraints;
  for (const MapConstraint& constraint : position.constraints()) {
    constraints.push_back({replace(constraint.expression), constraint.bounds});
  }
  // What the map says of threads and of a loop that was cut.
  for (size_t i = 0; i < kNumThreadDimensions; ++i) {
    constraints.push_back({dimensions[i], position.dimensions()[i].bounds});
  }
  if (vector_elements != 1) {
    constraints.push_back({symbols[position.num_ranges() - 1], position.ranges().back().bounds});
  }
  if (place.existing.has_value()) constraints.push_back(*place.existing);
  const auto affine_map =
      mlir::AffineMap::get(static_cast<unsigned>(variables.size()),
                           static_cast<unsigned>(runtime.size()), results, context);
  result.map = IndexingMap(affine_map, std::move(variables), {}, std::move(runtime), constraints);
  return result;
}

bool Mentions(const Sum& sum, VariableId variable) {
  return llvm::any_of(sum.terms, [&](const Term& term) {
    if (term.atom->kind == simplifier::AtomKind::kVariable) {
      return term.atom->variable == variable;
    }
    return llvm::any_of(term.atom->arguments,
                        [&](const Sum& argument) { return Mentions(argument, variable); });
  });
}

// Whether a constraint holds for all elements of a vector or for none: its sum without the element
// goes in steps, and no step ends inside of a vector at either bound.
bool HoldsForWholeVectors(const simplifier::Constraint& constraint, int64_t vector_elements) {
  const auto& [sum, bounds] = constraint;
  int64_t coefficient = 0;
  int64_t step = 0;
  for (const Term& term : sum.terms) {
    if (term.atom->kind == simplifier::AtomKind::kVariable && term.atom->variable == kElement) {
      if (coefficient != 0 || !term.IsWhole()) return false;
      coefficient = term.coefficient;
      continue;
    }
    if (llvm::any_of(term.atom->arguments,
                     [](const Sum& argument) { return Mentions(argument, kElement); })) {
      return false;
    }
    step = std::gcd(step, term.coefficient);
  }
  if (coefficient == 0) return true;
  if (step == 0) return false;
  // By how much the last element is beyond the first one.
  const DynamicAPInt shift = DynamicAPInt(coefficient) * DynamicAPInt(vector_elements - 1);
  const auto at_first = [&](int64_t bound) { return DynamicAPInt(bound) - sum.constant; };
  const DynamicAPInt steps(step);
  return ceilDiv(at_first(bounds.lower), steps) == ceilDiv(at_first(bounds.lower) - shift, steps) &&
         floorDiv(at_first(bounds.upper), steps) == floorDiv(at_first(bounds.upper) - shift, steps);
}

// Takes the element's place in its vector away: the sum of the first one.
void DropElement(DigitContext& context, Sum& sum) {
  llvm::SmallVector<Term, 8> terms;
  for (const Term& term : sum.terms) {
    const bool is_element =
        term.atom->kind == simplifier::AtomKind::kVariable && term.atom->variable == kElement;
    if (!is_element) terms.push_back(term);
  }
  sum = context.Store(terms, sum.constant);
}

// Whether the divisor divides the sum wherever the constraints hold.
// Example: 4 divides d0 where d0 mod 4 in [0, 0]
bool IsMultipleOf(DigitContext& context, const QuasiAffineMap& map, const Sum& sum,
                  int64_t divisor) {
  int64_t of_terms = sum.constant;
  for (const Term& term : sum.terms) of_terms = std::gcd(of_terms, term.coefficient);
  if (of_terms % divisor == 0) return true;
  if (map.constraints.empty()) return false;
  QuasiAffineMap remainder = map;
  remainder.results.clear();
  remainder.results.push_back(simplifier::DivMod(context, sum, divisor).remainder);
  simplifier::Simplify(context, remainder);
  if (remainder.empty) return true;
  const Sum& simplified = remainder.results.front();
  return simplified.IsConstant() && simplified.constant == 0;
}

// Whether the accesses of kElement are one vector: consecutive, aligned, all or none in the domain.
bool IsVector(DigitContext& context, const QuasiAffineMap& map, int64_t element_bits,
              int64_t vector_elements) {
  const Sum& offset = map.results.front();
  bool is_consecutive = false;
  for (const Term& term : offset.terms) {
    if (term.atom->kind == simplifier::AtomKind::kVariable && term.atom->variable == kElement) {
      if (is_consecutive || !term.IsWhole() || term.coefficient != element_bits) return false;
      is_consecutive = true;
      continue;
    }
    if (llvm::any_of(term.atom->arguments,
                     [](const Sum& argument) { return Mentions(argument, kElement); })) {
      return false;
    }
  }
  if (!is_consecutive || map.boxes[kElement] != Interval{0, vector_elements - 1}) return false;
  Sum first = offset;
  DropElement(context, first);
  const auto mentions_element = [](const Sum& sum) { return Mentions(sum, kElement); };
  return llvm::none_of(llvm::ArrayRef(map.results).drop_front(), mentions_element) &&
         llvm::all_of(map.constraints,
                      [&](const simplifier::Constraint& constraint) {
                        return HoldsForWholeVectors(constraint, vector_elements);
                      }) &&
         IsMultipleOf(context, map, first, vector_elements * element_bits);
}

// The access by warps with the widest vector.
struct VectorAccess {
  WarpAccess access;
  QuasiAffineMap map;
  int64_t elements = 1;
};

VectorAccess WidestVectors(DigitContext& context, const MemoryAccess& access,
                           const CoalescingOptions& options) {
  VectorAccess result;
  int64_t elements = 1;
  if (access.position.num_ranges() != 0) {
    const Interval last = access.position.ranges().back().bounds;
    const int64_t wanted = std::min({access.vector_elements, last.upper - last.lower + 1,
                                     options.max_vector_bytes * 8 / access.element_bits});
    while (elements * 2 <= wanted) elements *= 2;
  }
  for (;; elements /= 2) {
    result.access = AccessOfWarps(access, elements);
    result.map = ReadMap(context, result.access.map, RuntimeVariablesAs::kVariables);
    if (!result.map.empty) simplifier::Simplify(context, result.map);
    result.elements = elements;
    if (elements == 1 || result.map.empty) return result;
    if (!IsVector(context, result.map, access.element_bits, elements)) continue;
    DropElement(context, result.map.results.front());
    for (simplifier::Constraint& constraint : result.map.constraints) {
      DropElement(context, constraint.expression);
    }
    return result;
  }
}

Image::Count Times(const Image::Count& count, int64_t factor) {
  return {count.lower * DynamicAPInt(factor), count.upper * DynamicAPInt(factor)};
}

}  // namespace

WarpRequests CountRequests(const MemoryAccess& access, const CoalescingOptions& options,
                           const RequestMemory& memory) {
  WarpRequests result;
  DigitContext context;
  VectorAccess vectors = WidestVectors(context, access, options);
  QuasiAffineMap& map = vectors.map;
  result.is_empty = map.empty;
  if (map.empty) return result;
  result.vector_elements = vectors.elements;

  std::vector<Sum> sums(map.results.begin(), map.results.end());
  for (const simplifier::Constraint& constraint : map.constraints) {
    sums.push_back(constraint.expression);
  }
  const Interval lanes = map.boxes[kLane];
  const std::optional<CoordinateSystem> system = CoordinateSystem::Create(sums, {kLane});
  const int64_t num_lanes = lanes.upper - lanes.lower + 1;
  // Blocks and warps that access the same as others make their requests all the same.
  int64_t repetitions = 1;
  for (VariableId i = kWarp; i < vectors.access.num_grid_variables; ++i) {
    const bool is_mentioned = llvm::any_of(sums, [&](const Sum& sum) { return Mentions(sum, i); });
    if (!is_mentioned) repetitions *= map.boxes[i].upper - map.boxes[i].lower + 1;
  }
  if (!system.has_value()) {
    RequestTotals& totals = result.totals;
    totals.reason = "an index expression is not affine";
    // All lanes of all warps, each with sectors of its own.
    DynamicAPInt requests(1);
    for (VariableId i = kWarp; i < vectors.access.map.num_dimensions(); ++i) {
      const bool is_loop = i >= vectors.access.num_grid_variables;
      const bool is_mentioned =
          llvm::any_of(sums, [&](const Sum& sum) { return Mentions(sum, i); });
      if (is_loop && !is_mentioned) continue;
      requests *= DynamicAPInt(map.boxes[i].upper - map.boxes[i].lower) + 1;
    }
    const DynamicAPInt lane_bits(vectors.elements * access.element_bits);
    const DynamicAPInt unit_bits(memory.unit_bits);
    const DynamicAPInt per_lane =
        unit_bits % lane_bits == 0 ? DynamicAPInt(1) : lane_bits / unit_bits + 2;
    totals.requests.upper = requests;
    totals.sectors.upper = requests * num_lanes * per_lane;
    totals.ideal_sectors.upper = requests * llvm::ceilDiv(lane_bits * num_lanes, unit_bits);
    return result;
  }
  RequestProblem problem(*system);
  problem.runtime_keys = std::move(vectors.access.keys);
  problem.lane = system->CoordinateOf(kLane);
  problem.num_lanes = num_lanes;
  problem.width = vectors.elements * access.element_bits;
  problem.period_bits = memory.period_bits;
  problem.unit_bits = memory.unit_bits;
  // Lanes are counted from the first one that accesses anything.
  problem.cost = [&memory, width = problem.width, first = lanes.lower, numbers = Lanes()](
                     llvm::ArrayRef<int64_t> active,
                     llvm::MutableArrayRef<int64_t> offsets) mutable {
    if (first == 0) return memory.cost(active, offsets, width);
    numbers.clear();
    for (const int64_t lane : active) numbers.push_back(first + lane);
    return memory.cost(numbers, offsets, width);
  };
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    problem.constraints.emplace_back(map.results.size() + i, map.constraints[i].bounds);
  }
  for (const CoordinateSystem::BoxConstraint& box : system->box_constraints()) {
    problem.constraints.push_back({box.sum, {0, box.upper}});
  }
  const size_t first_runtime = vectors.access.map.num_dimensions();
  for (size_t x = 0; x < system->num_coordinates(); ++x) {
    if (system->VariableOf(x) >= first_runtime) problem.runtime.set(static_cast<unsigned>(x));
  }
  for (size_t i = 0; i < access.position.num_runtime(); ++i) {
    problem.domain_depends_on_runtime |=
        map.boxes[first_runtime + i] != access.position.runtime()[i].bounds;
  }
  const bool is_uncertain =
      problem.domain_depends_on_runtime ||
      llvm::any_of(problem.constraints, [&](const std::pair<size_t, Interval>& constraint) {
        const auto& sum = system->sums()[constraint.first];
        return system->DependencesOf(sum).anyCommon(problem.runtime);
      });
  problem.max_lane_accesses =
      is_uncertain ? options.max_uncertain_lane_accesses : options.max_lane_accesses;
  result.totals = RequestCounter(problem).Count();
  for (Image::Count* count :
       {&result.totals.requests, &result.totals.sectors, &result.totals.ideal_sectors}) {
    *count = Times(*count, repetitions);
  }
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
