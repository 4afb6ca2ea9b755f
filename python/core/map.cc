#include "python/core/map.h"

#include <algorithm>
#include <optional>

#include "hlo/module.h"
#include "indexing_analysis/maps/count.h"
#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/projection.h"
#include "indexing_analysis/maps/relation_algebra.h"
#include "indexing_analysis/maps/union.h"
#include "python/core/errors.h"
#include "python/core/long_work.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using InputArray = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// Name, lower, upper; no bound is None.
using VariableTuple = std::tuple<std::string, std::optional<int64_t>, std::optional<int64_t>>;

namespace {

// The context of maps that belong to no module. Contexts never free expressions, so now and then a
// new one is begun; the old one lives as long as its maps.
std::shared_ptr<Context> FreeContext() {
  constexpr int kMapsOfOne = 10'000;
  static std::mutex mutex;
  static std::shared_ptr<Context> current;
  static int num_maps = 0;
  const std::lock_guard<std::mutex> lock(mutex);
  if (current == nullptr || ++num_maps > kMapsOfOne) {
    current = std::make_shared<Context>();
    num_maps = 0;
  }
  return current;
}

Map MapOf(const Map& like, IndexingMap map) {
  return Map(like.context(), like.owner(), std::move(map));
}

// The map in another context. What its runtime values stand for is lost if the contexts differ.
IndexingMap In(Context& context, const Map& map) {
  if (map.context().get() == &context) return map.map();
  const std::string text = InContext(*map.context(), [&] { return map.map().ToString(); });
  absl::StatusOr<IndexingMap> copy =
      InContext(context, [&] { return indexing_analysis::ParseIndexingMap(text, &context.mlir); });
  return ValueOrRaise(std::move(copy));
}

std::vector<IndexingMap> In(Context& context, const std::vector<const Map*>& maps) {
  std::vector<IndexingMap> result;
  for (const Map* map : maps) result.push_back(In(context, *map));
  return result;
}

Map Parse(const std::string& text) {
  const std::shared_ptr<Context> context = FreeContext();
  support::TextError error;
  std::optional<IndexingMap> map = InContext(
      *context, [&] { return indexing_analysis::ParseIndexingMap(text, &context->mlir, error); });
  if (!map.has_value()) RaiseAt({"<map>", text}, error);
  return Map(context, nullptr, *std::move(map));
}

std::optional<int64_t> Finite(int64_t bound) {
  if (bound == Interval::kMinusInfinity || bound == Interval::kPlusInfinity) return std::nullopt;
  return bound;
}

VariableTuple TupleOf(std::string name, Interval bounds) {
  return {std::move(name), Finite(bounds.lower), Finite(bounds.upper)};
}

std::vector<VariableTuple> Dimensions(const Map& self) {
  std::vector<VariableTuple> variables;
  for (size_t i = 0; i < self.map().num_dimensions(); ++i) {
    variables.push_back(TupleOf(self.map().DimensionName(i), self.map().dimensions()[i].bounds));
  }
  return variables;
}

std::vector<VariableTuple> Ranges(const Map& self) {
  std::vector<VariableTuple> variables;
  for (size_t i = 0; i < self.map().num_ranges(); ++i) {
    variables.push_back(TupleOf(self.map().SymbolName(i), self.map().ranges()[i].bounds));
  }
  return variables;
}

std::vector<VariableTuple> Runtime(const Map& self) {
  std::vector<VariableTuple> variables;
  for (size_t i = 0; i < self.map().num_runtime(); ++i) {
    variables.push_back(TupleOf(self.map().SymbolName(self.map().num_ranges() + i),
                                self.map().runtime()[i].bounds));
  }
  return variables;
}

// The names of the instructions whose values the runtime variables are; None for those of a map
// that was given as text.
std::vector<std::optional<std::string>> RuntimeInstructions(const Map& self) {
  std::vector<std::optional<std::string>> names;
  for (const auto& variable : self.map().runtime()) {
    names.push_back(variable.instruction == nullptr
                        ? std::nullopt
                        : std::optional<std::string>(variable.instruction->name().str()));
  }
  return names;
}

std::vector<std::string> Results(const Map& self) {
  return InContext(*self.context(), [&] {
    std::vector<std::string> results;
    if (self.map().IsUnknown()) return results;
    for (const mlir::AffineExpr result : self.map().affine_map().getResults()) {
      results.push_back(self.map().ToString(result));
    }
    return results;
  });
}

std::vector<VariableTuple> Constraints(const Map& self) {
  return InContext(*self.context(), [&] {
    std::vector<VariableTuple> constraints;
    for (const auto& constraint : self.map().constraints()) {
      constraints.push_back(TupleOf(self.map().ToString(constraint.expression), constraint.bounds));
    }
    return constraints;
  });
}

// A column for each variable: arrays of `num_points` values, or of one that holds for all points.
std::vector<Column> ColumnsOf(const Map& self, const std::vector<InputArray>& arrays,
                              size_t num_points) {
  if (self.map().IsUnknown()) Raise(absl::UnimplementedError("nothing is known of this map"));
  const size_t expected =
      self.map().num_dimensions() + self.map().num_ranges() + self.map().num_runtime();
  if (arrays.size() != expected) {
    Raise(absl::InvalidArgumentError("the map has " + std::to_string(expected) +
                                     " variables, not " + std::to_string(arrays.size())));
  }
  std::vector<Column> columns;
  for (const InputArray& array : arrays) {
    if (array.size() != num_points && array.size() != 1) {
      Raise(absl::InvalidArgumentError("the arrays of indices have different sizes"));
    }
    columns.push_back({array.data(), array.size() == 1});
  }
  return columns;
}

const MapProgram& ProgramOf(const Map& self) {
  return InContext(*self.context(), [&]() -> const MapProgram& { return self.program(); });
}

[[noreturn]] void RaiseFailure(const Map& self, const std::vector<Column>& columns,
                               const MapProgram::Failure& failure) {
  using Kind = MapProgram::Failure::Kind;
  std::string message = "at ";
  std::vector<std::pair<std::string, Interval>> variables;
  const auto append = [&](const std::vector<VariableTuple>& tuples) {
    for (const auto& [name, lower, upper] : tuples) {
      variables.emplace_back(name, Interval{lower.value_or(Interval::kMinusInfinity),
                                            upper.value_or(Interval::kPlusInfinity)});
    }
  };
  append(Dimensions(self));
  append(Ranges(self));
  append(Runtime(self));
  for (size_t i = 0; i < variables.size(); ++i) {
    const Column& column = columns[i];
    message += (i == 0 ? "" : ", ") + variables[i].first + " = " +
               std::to_string(column.is_constant ? *column.data : column.data[failure.point]);
  }
  if (self.map().IsKnownEmpty()) Raise(absl::OutOfRangeError(message + ": the domain is empty"));
  if (failure.kind == Kind::kOverflow) {
    Raise(absl::OutOfRangeError(message + ": a value does not fit in 64 bits"));
  }
  message += ": outside of the domain, ";
  if (failure.kind == Kind::kOutsideOfBounds) {
    const auto& [name, bounds] = variables[failure.number];
    Raise(absl::OutOfRangeError(message + name + " in " + bounds.ToString()));
  }
  const auto& constraint = self.map().constraints()[failure.number];
  message += InContext(*self.context(), [&] {
    return self.map().ToString(constraint.expression) + " in " + constraint.bounds.ToString();
  });
  Raise(absl::OutOfRangeError(message));
}

// Runs a map part by part, so that Ctrl-C ends it: `run(columns, first, count)`, until it says no.
template <typename Run>
void ForEachPart(const std::vector<Column>& columns, size_t num_points, Run run) {
  constexpr size_t kPointsOfOne = size_t{1} << 18;
  LongWork work{nb::none()};
  {
    const nb::gil_scoped_release release;
    std::vector<Column> part = columns;
    for (size_t first = 0; first < num_points && !work.MustStop(); first += kPointsOfOne) {
      for (size_t i = 0; i < part.size(); ++i) {
        if (!part[i].is_constant) part[i].data = columns[i].data + first;
      }
      if (!run(part, first, std::min(kPointsOfOne, num_points - first))) break;
    }
  }
  work.RaiseIfStopped();
}

std::vector<nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>> Evaluate(
    const Map& self, const std::vector<InputArray>& arrays, size_t num_points) {
  const std::vector<Column> columns = ColumnsOf(self, arrays, num_points);
  const MapProgram& program = ProgramOf(self);
  std::vector<std::unique_ptr<int64_t[]>> results;
  for (size_t i = 0; i < program.num_results(); ++i) {
    results.push_back(std::make_unique_for_overwrite<int64_t[]>(num_points));
  }
  std::optional<MapProgram::Failure> failure;
  ForEachPart(columns, num_points, [&](llvm::ArrayRef<Column> part, size_t first, size_t count) {
    std::vector<int64_t*> pointers;
    for (const auto& result : results) pointers.push_back(result.get() + first);
    failure = program.Run(part, count, pointers);
    if (failure.has_value()) failure->point += first;
    return !failure.has_value();
  });
  if (failure.has_value()) RaiseFailure(self, columns, *failure);
  std::vector<nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>> outputs;
  for (auto& result : results) outputs.push_back(ArrayOf(std::move(result), num_points));
  return outputs;
}

// The results at one point.
std::vector<int64_t> EvaluatePoint(const Map& self, const std::vector<int64_t>& point) {
  std::vector<Column> columns;
  for (const int64_t& value : point) columns.push_back({&value, true});
  if (self.map().IsUnknown()) Raise(absl::UnimplementedError("nothing is known of this map"));
  const MapProgram& program = ProgramOf(self);
  if (point.size() != program.num_variables()) {
    Raise(absl::InvalidArgumentError("the map has " + std::to_string(program.num_variables()) +
                                     " variables, not " + std::to_string(point.size())));
  }
  std::vector<int64_t> results(program.num_results());
  std::vector<int64_t*> pointers;
  for (int64_t& result : results) pointers.push_back(&result);
  const auto failure = program.Run(columns, 1, pointers);
  if (failure.has_value()) RaiseFailure(self, columns, *failure);
  return results;
}

nb::ndarray<nb::numpy, bool, nb::ndim<1>> Contains(const Map& self,
                                                   const std::vector<InputArray>& arrays,
                                                   size_t num_points) {
  const std::vector<Column> columns = ColumnsOf(self, arrays, num_points);
  const MapProgram& program = ProgramOf(self);
  auto is_inside = std::make_unique_for_overwrite<bool[]>(num_points);
  ForEachPart(columns, num_points, [&](llvm::ArrayRef<Column> part, size_t first, size_t count) {
    program.Contains(part, count, is_inside.get() + first);
    return true;
  });
  return ArrayOf(std::move(is_inside), num_points);
}

void CheckKnown(const Map& map) {
  if (map.map().IsUnknown()) Raise(absl::UnimplementedError("nothing is known of this map"));
}

Map Simplify(const Map& self, bool rescale_ranges) {
  return MapOf(self, InContext(*self.context(), [&] {
                 IndexingMap map = indexing_analysis::Simplify(self.map());
                 return rescale_ranges ? indexing_analysis::RescaleRanges(map) : map;
               }));
}

Map Compose(const Map& first, const Map& second) {
  CheckKnown(first);
  CheckKnown(second);
  const size_t results = first.map().affine_map().getNumResults();
  if (results != second.map().num_dimensions()) {
    Raise(absl::InvalidArgumentError(
        "the inner map has " + std::to_string(results) + " results, the outer one " +
        std::to_string(second.map().num_dimensions()) + " dimensions"));
  }
  const IndexingMap outer = In(*first.context(), second);
  return MapOf(first, InContext(*first.context(),
                                [&] { return indexing_analysis::Compose(first.map(), outer); }));
}

Map Inverse(const Map& self) {
  CheckKnown(self);
  absl::StatusOr<IndexingMap> inverse =
      InContext(*self.context(), [&] { return indexing_analysis::Inverse(self.map()); });
  return MapOf(self, ValueOrRaise(std::move(inverse)));
}

// The answer, the reason, and the values of dimensions and symbols at which the maps differ.
nb::tuple Equal(const Map& self, const Map& other) {
  CheckKnown(self);
  CheckKnown(other);
  const IndexingMap b = In(*self.context(), other);
  const indexing_analysis::Equality equality =
      InContext(*self.context(), [&] { return indexing_analysis::Equal(self.map(), b); });
  return nb::make_tuple(
      support::AnswerName(equality.answer).str(), equality.reason,
      std::vector<int64_t>(equality.dimensions.begin(), equality.dimensions.end()),
      std::vector<int64_t>(equality.symbols.begin(), equality.symbols.end()));
}

std::string Digits(const llvm::DynamicAPInt& number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

// The text, the ends of the number of results and of points, bounds, the box as (offset, size,
// stride), whether it is injective, and why it is not exact.
nb::tuple Image(const Map& self) {
  CheckKnown(self);
  const auto image =
      InContext(*self.context(), [&] { return indexing_analysis::ImageOf(self.map()); });
  if (!image.has_value()) {
    Raise(absl::UnimplementedError(
        InContext(*self.context(), [&] { return indexing_analysis::WhyNoImage(self.map()); })));
  }
  std::vector<std::pair<std::optional<int64_t>, std::optional<int64_t>>> bounds;
  for (const Interval& interval : image->bounds) {
    bounds.emplace_back(Finite(interval.lower), Finite(interval.upper));
  }
  nb::object box = nb::none();
  if (image->box.has_value()) {
    std::vector<std::tuple<int64_t, int64_t, int64_t>> progressions;
    for (const auto& progression : *image->box) {
      progressions.emplace_back(progression.offset, progression.size, progression.stride);
    }
    box = nb::cast(progressions);
  }
  return nb::make_tuple(image->ToString(), Digits(image->size.lower), Digits(image->size.upper),
                        Digits(image->points.lower), Digits(image->points.upper), bounds, box,
                        support::AnswerName(image->injective).str(), image->reason);
}

enum class Algebra : uint8_t { kUnion, kIntersection, kDifference };

std::vector<Map> Combine(Algebra algebra, const std::vector<const Map*>& a,
                         const std::vector<const Map*>& b) {
  if (a.empty()) return {};
  for (const Map* map : a) CheckKnown(*map);
  for (const Map* map : b) CheckKnown(*map);
  const std::shared_ptr<Context> context = a.front()->context();
  const std::vector<IndexingMap> left = In(*context, a);
  const std::vector<IndexingMap> right = In(*context, b);
  absl::StatusOr<std::vector<IndexingMap>> maps = InContext(*context, [&] {
    switch (algebra) {
      case Algebra::kUnion:
        return indexing_analysis::Unite(left, right);
      case Algebra::kIntersection:
        return indexing_analysis::Intersect(llvm::ArrayRef<IndexingMap>(left),
                                            llvm::ArrayRef<IndexingMap>(right));
      default:
        return indexing_analysis::Subtract(llvm::ArrayRef<IndexingMap>(left),
                                           llvm::ArrayRef<IndexingMap>(right));
    }
  });
  std::vector<Map> result;
  for (IndexingMap& map : ValueOrRaise(std::move(maps))) {
    result.push_back(MapOf(*a.front(), std::move(map)));
  }
  return result;
}

// What `make` makes of the relation of all maps, which must be known.
template <class Make>
std::vector<Map> OfRelation(const std::vector<const Map*>& maps, const Make& make) {
  if (maps.empty()) return {};
  for (const Map* map : maps) CheckKnown(*map);
  const std::shared_ptr<Context> context = maps.front()->context();
  const std::vector<IndexingMap> relation = In(*context, maps);
  absl::StatusOr<std::vector<IndexingMap>> made =
      InContext(*context, [&] { return make(llvm::ArrayRef<IndexingMap>(relation)); });
  std::vector<Map> result;
  for (IndexingMap& map : ValueOrRaise(std::move(made))) {
    result.push_back(MapOf(*maps.front(), std::move(map)));
  }
  return result;
}

// What the maps say together of the dimensions and results of these numbers.
std::vector<Map> Project(const std::vector<const Map*>& maps, const std::vector<size_t>& dimensions,
                         const std::vector<size_t>& results) {
  return OfRelation(maps, [&](llvm::ArrayRef<IndexingMap> relation) {
    return indexing_analysis::Project(relation, {.dimensions = dimensions, .results = results});
  });
}

std::vector<Map> Count(const std::vector<const Map*>& maps, const std::vector<size_t>& parameters,
                       bool points) {
  using Of = indexing_analysis::Counting::Of;
  return OfRelation(maps, [&](llvm::ArrayRef<IndexingMap> relation) {
    return indexing_analysis::Count(
        relation, {.of = points ? Of::kPoints : Of::kResults, .parameters = parameters});
  });
}

template <Algebra algebra>
std::vector<Map> CombineBy(const std::vector<const Map*>& a, const std::vector<const Map*>& b) {
  return Combine(algebra, a, b);
}

}  // namespace

void BindMaps(nb::module_& module) {
  nb::class_<Map>(module, "Map", "An indexing map.")
      .def("__str__",
           [](const Map& self) {
             return InContext(*self.context(), [&] { return self.map().ToString(); });
           })
      .def_prop_ro("is_unknown", [](const Map& self) { return self.map().IsUnknown(); })
      .def_prop_ro("is_known_empty", [](const Map& self) { return self.map().IsKnownEmpty(); })
      .def_prop_ro("dimensions", &Dimensions, "Name, lower and upper bound of each.")
      .def_prop_ro("ranges", &Ranges)
      .def_prop_ro("runtime", &Runtime)
      .def_prop_ro("runtime_instructions", &RuntimeInstructions)
      .def_prop_ro("results", &Results)
      .def_prop_ro("constraints", &Constraints)
      .def("evaluate", &Evaluate, "columns"_a, "num_points"_a,
           "The results at points, one array each.")
      .def("evaluate_point", &EvaluatePoint, "point"_a)
      .def("contains", &Contains, "columns"_a, "num_points"_a)
      .def("simplify", &Simplify, "rescale_ranges"_a)
      .def("then", &Compose, "second"_a, "The second map after this one.")
      .def("inverse", &Inverse)
      .def("equal", &Equal, "other"_a)
      .def("image", &Image);
  module.def("parse_map", &Parse, "text"_a);
  module.def("unite", &CombineBy<Algebra::kUnion>, "a"_a, "b"_a);
  module.def("intersect", &CombineBy<Algebra::kIntersection>, "a"_a, "b"_a);
  module.def("subtract", &CombineBy<Algebra::kDifference>, "a"_a, "b"_a);
  module.def("project", &Project, "maps"_a, "dimensions"_a, "results"_a);
  module.def("count", &Count, "maps"_a, "parameters"_a, "points"_a);
}

}  // namespace hlo_indexing::python
