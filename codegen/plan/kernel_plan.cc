#include "codegen/plan/kernel_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

llvm::StringRef EmitterName(Emitter emitter) {
  constexpr std::array<llvm::StringRef, 12> kNames = {
      "loop",    "transpose", "reduction", "concatenate",   "dynamic_update_slice",
      "scatter", "sort",      "scan",      "normalization", "matrices",
      "rows",    "products"};
  return kNames[static_cast<size_t>(emitter)];
}

std::string Launch::WhyRefused() const {
  constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i] <= kMostBlocks[i]) continue;
    return absl::StrCat("the grid has ", blocks[i], " blocks in ", kAxes[i],
                        ", and CUDA launches at most ", kMostBlocks[i], ": it does not run");
  }
  return "";
}

llvm::ArrayRef<const hlo::Instruction*> KernelPlan::Inputs() const {
  return is_computation ? instruction->parent().parameters() : instruction->operands();
}

const hlo::Shape& KernelPlan::InputShape(size_t input) const {
  const hlo::Computation* const composed = Composed();
  return composed == nullptr ? Inputs()[input]->shape() : composed->parameters()[input]->shape();
}

const hlo::Shape& KernelPlan::OutputShape(int64_t output) const {
  for (const PlannedRoot& root : roots) {
    if (output < root.first_output || output >= root.first_output + root.num_outputs) continue;
    return root.instruction->shape().ArrayLeaf(output - root.first_output);
  }
  return instruction->shape().ArrayLeaf(output);
}

int64_t KernelPlan::FirstOutputOf(const hlo::Instruction& stored) const {
  for (const ElementPass& pass : passes) {
    if (pass.instruction == &stored && pass.output.has_value()) return *pass.output - pass.leaf;
  }
  return 0;
}

const hlo::Computation* KernelPlan::Composed() const {
  if (is_computation) return &instruction->parent();
  if (instruction->opcode() != hlo::Opcode::kFusion) return nullptr;
  return instruction->Callee(hlo::AttributeName::kCalls);
}

std::optional<int64_t> KernelPlan::InputNumber(const hlo::Instruction& computed) const {
  if (Composed() != nullptr) {
    if (computed.opcode() != hlo::Opcode::kParameter) return std::nullopt;
    return computed.parameter_number();
  }
  const auto* const position = llvm::find(instruction->operands(), &computed);
  if (position == instruction->operands().end()) return std::nullopt;
  return position - instruction->operands().begin();
}

int64_t SharedTile::bytes() const {
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
  // Rows are padded at their ends, the last one, too.
  int64_t elements = std::max(last + 1, sizes.front() * strides.front());
  if (swizzle.has_value()) {
    elements = support::CeilDiv(elements, swizzle->block()) * swizzle->block();
  }
  return support::CeilDiv(elements * element_bits, 8);
}

std::string SharedTile::LayoutText() const {
  std::vector<layout::IntTuple> shape;
  std::vector<layout::IntTuple> stride;
  for (size_t i = 0; i < sizes.size(); ++i) {
    shape.push_back(layout::IntTuple::Static(sizes[i]));
    stride.push_back(layout::IntTuple::Static(strides[i]));
  }
  const absl::StatusOr<layout::CuteLayout> layout = layout::CuteLayout::Create(
      layout::IntTuple::Tuple(std::move(shape)), layout::IntTuple::Tuple(std::move(stride)));
  if (!layout.ok()) return std::string(layout.status().message());
  if (!swizzle.has_value()) return layout->ToString();
  return layout::ComposedLayout{*swizzle, layout::StaticInteger(0), *layout}.ToString();
}

IndexingMap SharedTile::PositionOf(const SharedAccess& access) const {
  const mlir::AffineMap index = access.index.affine_map();
  mlir::AffineExpr position = mlir::getAffineConstantExpr(0, access.index.context());
  for (unsigned i = 0; i < index.getNumResults(); ++i) {
    position = position + index.getResult(i) * strides[i];
  }
  return Simplify(access.index.WithResults(
      mlir::AffineMap::get(index.getNumDims(), index.getNumSymbols(), position)));
}

std::string ProductTiles::ToString() const {
  return absl::StrCat(rows, "x", columns, "x", depth, " by ", units[0], "x", units[1], "x",
                      units[2], uses_tensor_cores ? " warps, " : " threads, ", steps, " steps");
}

KernelPlan::SharedPlaces KernelPlan::shared_places() const {
  SharedPlaces places;
  // The places that are for one bl_z each, and how many of them each bl_z has so far.
  std::vector<size_t> of_one_block;
  std::map<int64_t, size_t> used;
  for (const SharedTile& tile : shared_tiles) {
    std::optional<int64_t> block;
    for (const SharedAccess& access : tile.accesses) {
      const indexing_analysis::Interval blocks =
          access.index.IsUnknown() || access.index.IsKnownEmpty()
              ? indexing_analysis::Interval::All()
              : access.index.dimensions()[kBlockZ].bounds;
      const bool is_other = block.has_value() && *block != blocks.lower;
      block =
          blocks.lower == blocks.upper && !is_other ? std::optional(blocks.lower) : std::nullopt;
      if (!block.has_value()) break;
    }
    size_t place = places.bytes.size();
    if (block.has_value()) {
      const size_t number = used[*block]++;
      if (number == of_one_block.size()) of_one_block.push_back(place);
      place = of_one_block[number];
    }
    if (place == places.bytes.size()) places.bytes.push_back(0);
    places.bytes[place] = std::max(places.bytes[place], tile.bytes());
    places.of_tiles.push_back(place);
  }
  return places;
}

int64_t KernelPlan::shared_memory_bytes() const {
  constexpr int64_t kAlignment = 16;
  int64_t bytes = 0;
  for (const int64_t of_place : shared_places().bytes) {
    bytes = support::CeilDiv(bytes, kAlignment) * kAlignment + of_place;
  }
  return bytes;
}

void KernelPlan::Print(llvm::raw_ostream& out) const {
  const auto sizes = [&](const std::array<int64_t, 3>& of) {
    out << '[' << of[0] << ", " << of[1] << ", " << of[2] << ']';
  };
  out << "emitter  " << EmitterName(emitter);
  if (!variant.empty() && variant != EmitterName(emitter)) out << " (" << variant << ')';
  out << "\nlaunch   blocks ";
  sizes(launch.blocks);
  out << ", threads ";
  sizes(launch.threads);
  out << '\n';
  if (const std::string refused = launch.WhyRefused(); !refused.empty()) {
    out << "refused  " << refused << '\n';
  }
  if (products.has_value()) out << "products " << products->ToString() << '\n';
  if (!shared_tiles.empty()) out << "shared   " << shared_memory_bytes() << " bytes\n";
  if (scratch_bytes > 0) out << "scratch  " << scratch_bytes << " bytes of global memory\n";
  if (blocks_of_group > 1) {
    out << "groups   of " << blocks_of_group
        << " blocks, of which the last to come combines what all "
        << "have left in scratch memory; counters of " << counter_bytes() << " bytes\n";
  }
  if (shared_bytes > 0) {
    out << "shares   bytes of outputs: the last thread with an element of one writes it; counters "
           "of "
        << counter_bytes() << " bytes\n";
  }
  if (keeps_rows) out << "keeps    what a thread has of its row: nothing is read twice\n";
  for (const ElementPass& pass : passes) {
    out << "computes %" << pass.instruction->name();
    if (pass.output.has_value()) out << " (output " << *pass.output << ')';
    out << ": ";
    pass.map.Print(out);
    out << '\n';
  }
  for (const HeroRead& read : heroes) {
    out << "reads    operand " << read.operand << " of %" << read.hero->name() << ": ";
    read.map.Print(out);
    out << '\n';
  }
  const auto print_arrays = [&](llvm::StringRef name, llvm::ArrayRef<SharedTile> arrays) {
    for (const SharedTile& array : arrays) {
      out << name << "of %" << array.hero->name() << ": " << array.LayoutText() << " of "
          << array.element_bits << " bits\n";
      for (const SharedAccess& access : array.accesses) {
        out << (access.is_store ? "  filled " : "  read   ");
        access.index.Print(out);
        out << '\n';
      }
    }
  };
  print_arrays("tile     ", shared_tiles);
  print_arrays("partial  ", scratch_arrays);
}

}  // namespace hlo_indexing::plan
