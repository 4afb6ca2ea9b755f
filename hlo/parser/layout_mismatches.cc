#include "hlo/parser/layout_mismatches.h"

#include <string>

#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"
#include "layout/xla_layout.h"

namespace hlo_indexing::hlo {
namespace {

// What decides where elements lie; of memory spaces and sizes of elements nothing.
layout::Layout PlacesOf(const Shape& array) {
  layout::Layout places = layout::DefaultLayout(array.rank());
  if (array.layout() == nullptr) return places;
  places.minor_to_major = array.layout()->minor_to_major;
  places.tiles = array.layout()->tiles;
  return places;
}

// The layouts of the first array that lies otherwise, as text; empty if there is none.
std::pair<std::string, std::string> Differing(const Shape& inside, const Shape& outside) {
  if (inside.num_array_leaves() != outside.num_array_leaves()) return {};
  for (int64_t leaf = 0; leaf < inside.num_array_leaves(); ++leaf) {
    const Shape& a = inside.ArrayLeaf(leaf);
    const Shape& b = outside.ArrayLeaf(leaf);
    if (a.rank() < 2 || a.rank() != b.rank()) continue;
    const layout::Layout of_a = PlacesOf(a);
    const layout::Layout of_b = PlacesOf(b);
    if (!(of_a == of_b)) return {of_a.ToString(), of_b.ToString()};
  }
  return {};
}

}  // namespace

std::vector<support::Diagnostic> LayoutMismatches(const Module& module) {
  if (module.text().empty()) return {};
  const auto at = [&](const Instruction& instruction, const std::string& message) {
    return std::vector{support::MakeDiagnostic(module.source(), instruction.offset(), message)};
  };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* fusion : computation->instructions()) {
      if (fusion->opcode() != Opcode::kFusion) continue;
      const Computation& fused = *fusion->Callee(AttributeName::kCalls);
      const std::string name = "fusion '" + fusion->name().str() + "'";
      for (size_t i = 0; i < fused.parameters().size(); ++i) {
        const Instruction& parameter = *fused.parameters()[i];
        const auto [inside, outside] = Differing(parameter.shape(), fusion->operand(i).shape());
        if (inside.empty()) continue;
        return at(parameter, "parameter '" + parameter.name().str() + "' has the layout " + inside +
                                 ", the operand of " + name + " " + outside +
                                 ": kernels use the former");
      }
      const auto [inside, outside] = Differing(fused.root().shape(), fusion->shape());
      if (inside.empty()) continue;
      return at(fused.root(), "root '" + fused.root().name().str() + "' has the layout " + inside +
                                  ", " + name + " " + outside + ": kernels use the former");
    }
  }
  return {};
}

}  // namespace hlo_indexing::hlo
