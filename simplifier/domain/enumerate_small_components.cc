#include "simplifier/domain/passes.h"
#include "simplifier/domain/small_domain.h"

namespace hlo_indexing::simplifier {

void EnumerateSmallComponents(Tightening& tightening) {
  QuasiAffineMap& map = tightening.map;
  if (map.constraints.empty()) return;
  SmallDomain domain = DecideSmallDomain(tightening.context, map.constraints);
  map.empty = domain.empty;
  if (map.empty) return;
  map.constraints = std::move(domain.constraints);
  for (const auto& [atom, bounds] : domain.narrowed) tightening.NarrowBox(atom->variable, bounds);
}

}  // namespace hlo_indexing::simplifier
