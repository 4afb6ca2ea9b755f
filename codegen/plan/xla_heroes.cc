#include "codegen/plan/xla_heroes.h"

#include <algorithm>

#include "codegen/plan/thread_map.h"
#include "indexing_analysis/rules/rule_table.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

constexpr int64_t kWarpSize = 32;

bool HasSameLayout(const Shape& a, const Shape& b) {
  return PhysicalDimensions(a) == PhysicalDimensions(b);
}

bool HasTiles(const Shape& shape) {
  return shape.layout() != nullptr && !shape.layout()->tiles.empty();
}

// Whether elements stay in the order of memory.
bool IsBitcastLike(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kBitcast) {
    return !HasTiles(instruction.shape()) && !HasTiles(instruction.operand(0).shape());
  }
  const Shape& output = instruction.shape();
  const bool may_be =
      instruction.opcode() == Opcode::kReshape || instruction.opcode() == Opcode::kTranspose;
  if (!may_be || !output.IsArray()) return false;
  const Shape& input = instruction.operand(0).shape();
  if (instruction.opcode() == Opcode::kReshape) {
    const auto is_row_major = [](const Shape& shape) {
      return shape.layout() == nullptr ||
             shape.layout()->minor_to_major == layout::DefaultLayout(shape.rank()).minor_to_major;
    };
    return is_row_major(input) && is_row_major(output);
  }
  const std::optional<NormalizedTranspose> transpose = Normalize(instruction);
  return transpose.has_value() && llvm::is_sorted(transpose->permutation);
}

// The same.
bool IsElementwise(const Instruction& instruction) {
  const indexing_analysis::RuleTraits& traits = indexing_analysis::TraitsOf(instruction.opcode());
  if (!traits.is_elementwise || traits.reads_other_devices || !instruction.shape().IsArray()) {
    return false;
  }
  return llvm::all_of(instruction.operands(), [&](const Instruction* operand) {
    const bool is_scalar = operand->shape().IsArray() && operand->shape().rank() == 0;
    return is_scalar || HasSameLayout(operand->shape(), instruction.shape());
  });
}

constexpr size_t kMaxOperands = 3;

// The instructions with the property that can be reached from the root through intermediate ones.
std::vector<const Instruction*> FindAll(const FusedComputation& fused, const Instruction& root,
                                        llvm::function_ref<bool(const Instruction&)> has_property) {
  std::vector<const Instruction*> found;
  llvm::DenseSet<const Instruction*> seen = {&root};
  std::vector<const Instruction*> pending = {&root};
  for (size_t i = 0; i < pending.size(); ++i) {
    const Instruction& instruction = *pending[i];
    if (has_property(instruction)) {
      found.push_back(&instruction);
      continue;
    }
    if (!IsIntermediate(instruction, kMaxOperands)) continue;
    for (const Instruction* operand : instruction.operands()) {
      if (fused.Contains(*operand) && seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return found;
}

// Whether all ways from an instruction to roots go through intermediate ones.
bool HasOnlyIntermediateUsers(const FusedComputation& fused, const Instruction& hero) {
  llvm::DenseSet<const Instruction*> visited = {&hero};
  std::vector<const Instruction*> users = {&hero};
  while (!users.empty()) {
    const Instruction* instruction = users.back();
    users.pop_back();
    for (const Instruction* user : instruction->users()) {
      if (!fused.Contains(*user) || !visited.insert(user).second) continue;
      if (!IsIntermediate(*user, kMaxOperands)) return false;
      users.push_back(user);
    }
  }
  return true;
}

// The one instruction with the property, if there is one and no way to a root goes through others.
const Instruction* FindSingle(const FusedComputation& fused, const Instruction& root,
                              llvm::function_ref<bool(const Instruction&)> has_property) {
  const std::vector<const Instruction*> found = FindAll(fused, root, has_property);
  if (found.size() != 1 || !HasOnlyIntermediateUsers(fused, *found.front())) return nullptr;
  return found.front();
}

}  // namespace

bool IsIntermediate(const Instruction& instruction, size_t max_operands) {
  const size_t operands = instruction.operands().size();
  if (operands == 0 || operands > max_operands) return false;
  if (instruction.opcode() == Opcode::kCopy) {
    return HasSameLayout(instruction.shape(), instruction.operand(0).shape());
  }
  return IsElementwise(instruction) || IsBitcastLike(instruction);
}

const Instruction& FindHero(const FusedComputation& fused, const Instruction& root) {
  const Instruction* const fused_root = &root;
  const Instruction* hero = fused_root;
  while (IsIntermediate(*hero, 1) && fused.Contains(hero->operand(0))) hero = &hero->operand(0);
  const auto is_transpose = [](const Instruction& instruction) {
    return TiledTransposeOf(instruction).has_value();
  };
  if (const Instruction* found = FindSingle(fused, *hero, is_transpose)) return *found;
  const auto is_concatenate = [](const Instruction& instruction) {
    return instruction.opcode() == Opcode::kConcatenate;
  };
  if (const Instruction* found = FindSingle(fused, *hero, is_concatenate)) return *found;
  if (hero->opcode() == Opcode::kReduce) return *hero;
  return *fused_root;
}

std::vector<const Instruction*> PossibleHeroes(const FusedComputation& fused,
                                               const Instruction& root) {
  std::vector<const Instruction*> heroes =
      FindAll(fused, root, [&](const Instruction& instruction) {
        return instruction.opcode() == Opcode::kConcatenate || IsReductionHero(root, instruction) ||
               TiledTransposeOf(instruction).has_value();
      });
  llvm::erase_if(heroes,
                 [&](const Instruction* hero) { return !HasOnlyIntermediateUsers(fused, *hero); });
  return heroes;
}

ReductionDimensions DimensionsOf(const Instruction& reduce) {
  const Shape& input = reduce.operand(0).shape();
  const llvm::ArrayRef<int64_t> reduced = reduce.Integers(AttributeName::kDimensions);
  const Sizes dimensions = PhysicalDimensions(input);
  // The sizes before, in and behind the part between the first and the last dimension of a kind.
  const auto partition = [&](bool middle_is_reduced) -> std::optional<std::array<int64_t, 3>> {
    std::array<int64_t, 3> sizes = {1, 1, 1};
    size_t part = 0;
    for (const int64_t dimension : dimensions) {
      const bool is_middle = llvm::is_contained(reduced, dimension) == middle_is_reduced;
      if (is_middle && part == 0) part = 1;
      if (!is_middle && part == 1) part = 2;
      if (is_middle && part == 2) return std::nullopt;
      sizes[part] *= input.sizes()[static_cast<size_t>(dimension)];
    }
    return sizes;
  };
  if (static_cast<int64_t>(reduced.size()) == input.rank()) {
    return {true, {1, 1, input.num_elements()}};
  }
  if (const auto kept = partition(/*middle_is_reduced=*/false)) {
    const auto [major, middle, minor] = *kept;
    if (middle == 1) return {true, {1, 1, major * minor}};
    if (minor == 1) return {false, {1, major, middle}};
    return {true, *kept};
  }
  if (const auto parts = partition(/*middle_is_reduced=*/true)) {
    const auto [major, middle, minor] = *parts;
    if (minor == 1) return {true, {1, major, middle}};
    return {false, *parts};
  }
  return {false, {0, 0, 0}};
}

bool ReducesOneOrder(const Instruction& reduce) {
  const size_t num_arrays = reduce.operands().size() / 2;
  return llvm::all_of(reduce.operands().take_front(num_arrays), [&](const Instruction* array) {
    return HasSameLayout(array->shape(), reduce.operand(0).shape());
  });
}

bool IsReductionHero(const Instruction& root, const Instruction& hero) {
  if (hero.opcode() != Opcode::kReduce || !ReducesOneOrder(hero)) return false;
  // Threads combine single elements; HLO may combine arrays of the dimensions that are kept.
  const auto initial_values = hero.operands().take_back(hero.operands().size() / 2);
  const bool has_scalars = llvm::all_of(
      initial_values, [](const Instruction* initial) { return initial->shape().IsScalar(); });
  if (!has_scalars) return false;
  const ReductionDimensions dimensions = DimensionsOf(hero);
  const auto [major, middle, minor] = dimensions.sizes;
  // Neither kind of dimensions lies together, or there is nothing to reduce.
  if (major == 0 || middle == 0 || minor == 0) return false;
  if (dimensions.is_row) {
    if (minor < kWarpSize && kWarpSize % minor != 0) return false;
  } else {
    const bool elemental_is_faster =
        middle < kWarpSize || (middle < 2 * kWarpSize && minor < kWarpSize) ||
        (middle < 4 * kWarpSize && minor < 8) || (middle < 8 * kWarpSize && minor < 3);
    if (elemental_is_faster) return false;
  }
  if (&root == &hero) return true;
  // One block reduces all elements of a result, so that an epilogue can follow.
  if (dimensions.is_row) return minor <= int64_t{1024} * 16 && major <= 8;
  return middle <= kWarpSize * 128;
}

llvm::SmallVector<int64_t, 4> NormalizedTranspose::Output() const {
  llvm::SmallVector<int64_t, 4> output;
  for (const int64_t dimension : permutation) {
    output.push_back(input[static_cast<size_t>(dimension)]);
  }
  return output;
}

std::optional<NormalizedTranspose> Normalize(const Instruction& transpose) {
  const bool is_copy = transpose.opcode() == Opcode::kCopy;
  if (!is_copy && transpose.opcode() != Opcode::kTranspose) return std::nullopt;
  const Shape& input = transpose.operand(0).shape();
  const llvm::ArrayRef<int64_t> permutation = transpose.Integers(AttributeName::kDimensions);
  const Sizes input_order = PhysicalDimensions(input);
  // For each dimension of the output's memory, its place in the input's.
  llvm::SmallVector<int64_t, 6> places;
  for (const int64_t output : PhysicalDimensions(transpose.shape())) {
    const int64_t dimension = is_copy ? output : permutation[static_cast<size_t>(output)];
    if (input.sizes()[static_cast<size_t>(dimension)] == 1) continue;
    places.push_back(llvm::find(input_order, dimension) - input_order.begin());
  }
  NormalizedTranspose result;
  // Runs of the output that are runs of the input, by their first place there.
  struct Run {
    int64_t first = 0;
    int64_t size = 1;
  };
  llvm::SmallVector<Run, 4> runs;
  std::optional<int64_t> last;
  const auto size_at = [&](int64_t place) {
    return input.sizes()[static_cast<size_t>(input_order[static_cast<size_t>(place)])];
  };
  const auto follows = [&](int64_t place) {
    if (!last.has_value() || place <= *last) return false;
    for (int64_t between = *last + 1; between < place; ++between) {
      if (size_at(between) != 1) return false;
    }
    return true;
  };
  for (const int64_t place : places) {
    if (follows(place)) {
      runs.back().size *= size_at(place);
    } else {
      runs.push_back({place, size_at(place)});
    }
    last = place;
  }
  llvm::SmallVector<size_t, 4> by_place(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) by_place[i] = i;
  llvm::sort(by_place, [&](size_t a, size_t b) { return runs[a].first < runs[b].first; });
  result.permutation.resize(runs.size());
  for (size_t i = 0; i < by_place.size(); ++i) {
    result.input.push_back(runs[by_place[i]].size);
    result.permutation[by_place[i]] = static_cast<int64_t>(i);
  }
  return result;
}

std::optional<PackedTile> PackedTileOf(const NormalizedTranspose& transpose, int64_t element_bits) {
  constexpr int64_t kBankBits = 32;
  constexpr int64_t kBanks = 32;
  // Fewer words in a row or column of the tile are not worth it.
  constexpr int64_t kMinWords = 10;
  if (element_bits >= kBankBits || transpose.KeepsMinorDimension()) return std::nullopt;
  PackedTile tile;
  tile.vector = kBankBits / element_bits;
  const auto rank = static_cast<int64_t>(transpose.input.size());
  const auto size_of = [&](int64_t dimension) {
    return transpose.input[static_cast<size_t>(dimension)];
  };
  tile.dimension_t2 = transpose.permutation.back();
  if (tile.dimension_t2 != rank - 2) tile.dimension_a = rank - 2;
  const int64_t t1 = size_of(rank - 1);
  const int64_t t2 = size_of(tile.dimension_t2);
  if (t1 % tile.vector != 0 || t2 % tile.vector != 0) return std::nullopt;
  const int64_t side = kBanks * tile.vector;
  tile.t1 = std::min(t1, side);
  tile.t2 = std::min(t2, side);
  if (tile.dimension_a.has_value() && t1 <= side) {
    tile.a = std::min(size_of(*tile.dimension_a), side / t1);
  }
  if (std::min(tile.a * tile.t1, tile.t2) < kMinWords * tile.vector) return std::nullopt;
  return tile;
}

std::optional<NormalizedTranspose> TiledTransposeOf(const Instruction& instruction) {
  std::optional<NormalizedTranspose> transpose = Normalize(instruction);
  if (!transpose.has_value() || transpose->input.size() < 2) return std::nullopt;
  const llvm::SmallVector<int64_t, 4> output = transpose->Output();
  const int64_t bits = ElementWidth(instruction.shape());
  if (transpose->KeepsMinorDimension()) {
    if (llvm::is_sorted(transpose->permutation)) return std::nullopt;
    const int64_t minor = output.back();
    const int64_t second =
        std::min(transpose->input[transpose->input.size() - 2], output[output.size() - 2]);
    if (bits * minor <= 64 && bits * minor * second >= 128) return transpose;
    return std::nullopt;
  }
  if (PackedTileOf(*transpose, bits).has_value()) return transpose;
  if (bits < 8) return std::nullopt;
  const int64_t input_minor = transpose->input.back();
  const int64_t output_minor = output.back();
  if (input_minor >= 16 && output_minor >= 16) return transpose;
  if (input_minor >= 8 && output_minor >= 8 && input_minor * output_minor >= int64_t{64} * 128) {
    return transpose;
  }
  return std::nullopt;
}

}  // namespace hlo_indexing::plan
