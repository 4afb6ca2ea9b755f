// Instances of opcodes that exchange elements between devices.
#include <algorithm>

#include "tests/property/random_opcode.h"
#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
using hlo::Opcode;

namespace {

// Groups of equal size over all devices, in one of the forms of the text.
std::string Groups(RandomComputation& i, int64_t& members) {
  members = i.random.Pick(std::vector<int64_t>{1, 2, 4, 8});
  switch (i.random.Between(0, 3)) {
    case 0:
      members = kNumDevices;
      return "replica_groups={}";
    case 1: {
      const std::string shape =
          "[" + std::to_string(kNumDevices / members) + "," + std::to_string(members) + "]";
      if (i.Maybe()) return "replica_groups=" + shape + "<=[8]";
      return "replica_groups=" + shape + "<=[2,2,2]T(" + Join(i.random.Permutation(3)) + ")";
    }
    default: {
      const Sizes numbers = i.random.Permutation(At(kNumDevices));
      const bool is_sorted = i.Maybe();
      std::string text;
      for (int64_t k = 0; k < kNumDevices; ++k) {
        text += k % members == 0 ? (k == 0 ? "{" : "},{") : ",";
        text += std::to_string(is_sorted ? k : numbers[At(k)]);
      }
      return "replica_groups={" + text + "}}";
    }
  }
}

// A part and the whole that the parts of a group make.
struct Parts {
  Sizes part, whole;
  int64_t members = 0;
  std::string attributes;
};

Parts RandomParts(RandomComputation& i) {
  Parts parts;
  parts.part = i.SomeSizes(1, 2);
  for (int64_t& size : parts.part) size = std::max<int64_t>(size, 1);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(parts.part.size()) - 1));
  parts.attributes = Groups(i, parts.members) + ", dimensions={" + std::to_string(d) + "}";
  parts.whole = parts.part;
  parts.whole[d] *= parts.members;
  return parts;
}

}  // namespace

void AllReduce(RandomComputation& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  i.Result(sizes, hlo::OpcodeName(opcode).str() + "(" + i.Operand(sizes) + "), " + groups +
                      ", to_apply=" + i.callees.Add("add", kAdd));
}

void AllGather(RandomComputation& i) {
  const Parts parts = RandomParts(i);
  i.Result(parts.whole, "all-gather(" + i.Operand(parts.part) + "), " + parts.attributes);
}

void AllGatherStart(RandomComputation& i) {
  const Parts parts = RandomParts(i);
  i.Result("(" + ShapeText("f32", parts.part) + ", " + ShapeText("f32", parts.whole) + ")",
           "all-gather-start(" + i.Operand(parts.part) + "), " + parts.attributes);
}

void ReduceScatter(RandomComputation& i) {
  const Parts parts = RandomParts(i);
  i.Result(parts.part, "reduce-scatter(" + i.Operand(parts.whole) + "), " + parts.attributes +
                           ", to_apply=" + i.callees.Add("add", kAdd));
}

void AllToAll(RandomComputation& i) {
  if (i.Maybe()) {
    const Parts parts = RandomParts(i);
    return i.Result(parts.whole, "all-to-all(" + i.Operand(parts.whole) + "), " + parts.attributes);
  }
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  std::string operands;
  std::string shape;
  for (int64_t k = 0; k < members; ++k) {
    operands += (k == 0 ? "" : ", ") + i.Operand(sizes);
    shape += (k == 0 ? "(" : ", ") + ShapeText("f32", sizes);
  }
  i.Result(shape + ")", "all-to-all(" + operands + "), " + groups);
}

void CollectiveBroadcast(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  i.Result(sizes, "collective-broadcast(" + i.Operand(sizes) + "), " + groups);
}

void CollectivePermute(RandomComputation& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const Sizes targets = i.random.Permutation(At(kNumDevices));
  const bool is_ring = i.Maybe();
  std::string pairs;
  for (int64_t k = 0; k < kNumDevices; ++k) {
    if (i.random.OneIn(4)) continue;
    const int64_t target = is_ring ? (k + 3) % kNumDevices : targets[At(k)];
    pairs += (pairs.empty() ? "{" : ",{") + Join({k, target}) + "}";
  }
  if (pairs.empty()) pairs = "{0,1}";
  const std::string array = ShapeText("f32", sizes);
  const bool is_started = opcode == Opcode::kCollectivePermuteStart;
  i.Result(is_started ? "(" + array + ", " + array + ", u32[], u32[])" : array,
           hlo::OpcodeName(opcode).str() + "(" + i.Operand(sizes) + "), source_target_pairs={" +
               pairs + "}");
}

// Every device sends as many rows to the k-th member of its group.
void RaggedAllToAll(RandomComputation& i) {
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  Sizes offsets, sizes;
  int64_t rows = 0;
  for (int64_t k = 0; k < members; ++k) {
    offsets.push_back(rows);
    sizes.push_back(i.random.Between(0, 2));
    rows += sizes.back();
  }
  const int64_t columns = i.random.Between(1, 3);
  const int64_t spare = i.random.Between(0, 2);
  const Sizes output = {rows + spare, columns};
  const auto constant = [&](const Sizes& values) {
    return i.Line(ShapeText("s32", {members}), "constant(" + Braces(values) + ")");
  };
  std::string operands = i.Operand(Sizes{rows + i.random.Between(0, 1), columns});
  operands += ", " + i.Operand(output);
  operands += ", " + constant(offsets);
  operands += ", " + constant(sizes);
  operands += ", " + constant(offsets);
  operands += ", " + constant(sizes);
  i.Result(output, "ragged-all-to-all(" + operands + "), " + groups);
}

}  // namespace hlo_indexing::testing::generate
