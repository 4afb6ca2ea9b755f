#include "indexing_analysis/maps/access_inversion.h"

#include <utility>

#include "simplifier/arithmetic.h"
#include "simplifier/inverse.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::InverseMap;
using simplifier::QuasiAffineMap;

// Every sum of a map.
template <typename Change>
void ChangeSums(QuasiAffineMap& map, Change change) {
  for (Sum& result : map.results) result = change(result);
  for (Constraint& constraint : map.constraints) {
    constraint.expression = change(constraint.expression);
  }
}

// The map of the access with the executing device as a variable behind the dimensions: the inverse
// has a value for it.
QuasiAffineMap WithDeviceVariable(DigitContext& digits, const Access& access,
                                  const Sum& own_device) {
  QuasiAffineMap map = access.map;
  const auto device = static_cast<VariableId>(access.num_dimensions);
  map.boxes.insert(map.boxes.begin() + device, simplifier::NaturalRange(own_device));
  const auto rename = [device](VariableId old) { return old < device ? old : old + 1; };
  simplifier::Renaming renaming(digits, rename);
  const Sum variable = map.Variable(digits, device);
  const auto replace = [&](const Atom& atom) -> std::optional<Sum> {
    const bool is_device = !own_device.IsConstant() && own_device.terms.front().atom == &atom;
    return is_device ? std::optional(variable) : std::nullopt;
  };
  simplifier::Substitution substitution(digits, replace);
  ChangeSums(map, [&](const Sum& sum) { return substitution.Apply(renaming.Apply(sum)); });
  return map;
}

// The last result of the original, a device, has its value: that of the executing device.
void SetDevice(DigitContext& digits, const Sum& own_device, VariableId variable,
               QuasiAffineMap& map) {
  const auto replace = [&](const Atom& atom) -> std::optional<Sum> {
    const bool is_device = atom.kind == AtomKind::kVariable && atom.variable == variable;
    return is_device ? std::optional(own_device) : std::nullopt;
  };
  simplifier::Substitution substitution(digits, replace);
  ChangeSums(map, [&](const Sum& sum) { return substitution.Apply(sum); });
  map.constraints.push_back({own_device, map.boxes[variable]});
}

}  // namespace

Access InvertAccess(DigitContext& digits, const Access& access, std::optional<Sum> own_device) {
  const bool between_devices = access.has_device && own_device;
  InverseMap inverted = between_devices
                            ? Invert(digits, WithDeviceVariable(digits, access, *own_device),
                                     access.num_dimensions + 1)
                            : Invert(digits, access.map, access.num_dimensions);
  Access inverse;
  inverse.map = std::move(inverted.map);
  inverse.num_dimensions = access.Index().size();
  inverse.runtime = access.runtime;
  inverse.superset_reason = access.superset_reason;
  inverse.has_device = between_devices;
  const size_t first_free = inverse.map.boxes.size() - inverted.num_free;
  for (size_t i = first_free; i < inverse.map.boxes.size(); ++i) {
    inverse.ranges.push_back(static_cast<VariableId>(i));
  }
  if (inverse.map.empty || !between_devices) return inverse;
  const auto device = static_cast<VariableId>(inverse.num_dimensions);
  SetDevice(digits, *own_device, device, inverse.map);
  // The variable is no dimension; it has one value, and nothing mentions it.
  inverse.ranges.push_back(device);
  inverse.map.boxes[device] = Interval::Point(inverse.map.boxes[device].lower);
  return inverse;
}

}  // namespace hlo_indexing::indexing_analysis
