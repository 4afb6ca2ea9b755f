// Loops over elements: the loop, concatenate and in-place dynamic-update-slice emitters.
//
// The elements of an array lie in memory as whole vectors and a rest of fewer elements than one.
// Each thread has a vector, or an element of the rest:
//
//   f32[10] in vectors of 4:  thread 0 -> 0..3, thread 1 -> 4..7, thread 2 -> 8, thread 3 -> 9
#include <algorithm>
#include <vector>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/whole_bytes.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using mlir::AffineExpr;

namespace {

constexpr int64_t kThreads = 256;
constexpr int64_t kMaxBlocksX = (int64_t{1} << 31) - 1;

// The threads that go over an array: the first ones have a vector each, the others an element, or a
// byte of them.
struct VectorLoop {
  VectorLoop(int64_t elements, int64_t of_vector, int64_t of_byte)
      : num_elements(elements),
        vector(of_vector),
        vectors(elements / of_vector),
        elements_of_byte(of_byte) {}

  int64_t rest() const { return num_elements - vectors * vector; }
  int64_t threads() const { return vectors + support::CeilDiv(rest(), elements_of_byte); }
  friend bool operator==(const VectorLoop&, const VectorLoop&) = default;

  int64_t num_elements = 0;
  int64_t vector = 1;
  int64_t vectors = 0;
  int64_t elements_of_byte = 1;
};

Launch LaunchOfBlocks(int64_t blocks, int64_t threads) {
  Launch launch;
  launch.threads[0] = threads;
  launch.blocks[1] = support::CeilDiv(blocks, kMaxBlocksX);
  launch.blocks[0] = support::CeilDiv(blocks, launch.blocks[1]);
  return launch;
}

// Smaller blocks if some multiprocessor had none otherwise, but whole warps.
int64_t ThreadsOfBlock(int64_t threads, const PlanContext& plans) {
  constexpr int64_t kWarpSize = 32;
  int64_t of_block = kThreads;
  while (of_block > kWarpSize &&
         support::CeilDiv(threads, of_block) < plans.device.multiprocessors) {
    of_block /= 2;
  }
  return std::clamp<int64_t>(threads, 1, of_block);
}

Launch LaunchOfThreads(int64_t threads, const PlanContext& plans) {
  const int64_t of_block = ThreadsOfBlock(threads, plans);
  return LaunchOfBlocks(support::CeilDiv(std::max<int64_t>(threads, 1), of_block), of_block);
}

// A map to elements, and the elements of a vector.
struct LoopPart {
  IndexingMap map;
  int64_t vector = 1;
  IndexingMap places;
};

// The elements of an array of these sizes, in an order of dimensions, major first, that the threads
// from a block on go over.
std::vector<LoopPart> PartsOf(const VectorLoop& loop, const Launch& launch, int64_t first_block,
                              llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> order,
                              PlanContext& plans) {
  std::vector<LoopPart> parts;
  const auto thread_of = [&](const ThreadMapBuilder& builder) {
    return (builder.Block() - first_block) * launch.threads[0] + builder.Thread();
  };
  if (loop.vectors > 0) {
    ThreadMapBuilder builder(launch, plans);
    const AffineExpr position = thread_of(builder) * loop.vector + builder.LoopOrZero(loop.vector);
    builder.Constrain(position, {0, loop.vectors * loop.vector - 1});
    parts.push_back(
        {builder.Build(ThreadMapBuilder::ElementAt(position, sizes, order)), loop.vector, {}});
  }
  if (loop.rest() > 0) {
    ThreadMapBuilder builder(launch, plans);
    const int64_t first = loop.vectors * loop.vector;
    const AffineExpr position = (thread_of(builder) - loop.vectors) * loop.elements_of_byte +
                                builder.LoopOrZero(loop.elements_of_byte) + first;
    builder.Constrain(position, {first, loop.num_elements - 1});
    parts.push_back({builder.Build(ThreadMapBuilder::ElementAt(position, sizes, order)),
                     loop.elements_of_byte,
                     {}});
  }
  return parts;
}

// The same of an array in the order of its memory, from the first block on.
std::vector<LoopPart> PartsOf(const VectorLoop& loop, const Launch& launch, const Shape& shape,
                              PlanContext& plans) {
  return PartsOf(loop, launch, 0, shape.sizes(), PhysicalDimensions(shape), plans);
}

// The same of an output, of which the threads have whole bytes: those of its places, if elements
// that share one are not neighbours.
std::vector<LoopPart> PartsOfOutput(const VectorLoop& loop, const Launch& launch,
                                    const Shape& shape, PlanContext& plans) {
  if (!IsPackedInTiles(shape)) return PartsOf(loop, launch, shape, plans);
  std::vector<LoopPart> parts = PartsOf(loop, launch, 0, {loop.num_elements}, {0}, plans);
  for (LoopPart& part : parts) {
    part.places = part.map;
    part.map = plans.maps.Compose(part.places, plans.maps.Elements(shape));
  }
  return parts;
}

// Whether an element of the instruction is a loop of its own that a vector would repeat.
bool IsLoopForEach(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConvolution:
    case Opcode::kFft:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      return true;
    default:
      return PreventsVectors(instruction);
  }
}

// How many neighbours a thread computes of the arrays of a fusion, which is looked at once for all
// of them.
class VectorChoice {
 public:
  explicit VectorChoice(const EmitterInput& input)
      : of_byte_(support::CeilDiv(8, input.fused.SmallestStorageBits())),
        widest_(std::max(WidestVector(input), of_byte_)),
        wanted_threads_(kLeastThreads * input.plans.device.multiprocessors) {
    if (llvm::any_of(input.fused.instructions(),
                     [](const Instruction* i) { return IsLoopForEach(*i); })) {
      widest_ = of_byte_;
    }
  }

  // One thread writes whole bytes.
  int64_t of_byte() const { return of_byte_; }
  // Of an array with so many elements: fewer than fit in the widest access if multiprocessors had
  // less than four warps otherwise.
  int64_t Of(int64_t num_elements) const {
    int64_t vector = widest_;
    while (vector > of_byte_ && num_elements / vector < wanted_threads_) vector /= 2;
    return vector;
  }
  VectorLoop LoopOf(int64_t num_elements) const {
    return {num_elements, Of(num_elements), of_byte_};
  }

 private:
  static constexpr int64_t kLeastThreads = 128;

  int64_t of_byte_;
  int64_t widest_;
  int64_t wanted_threads_;
};

// How many elements of an operand of a concatenate lie side by side in the result, and where the
// first of these runs begins.
struct ConcatenatedRun {
  int64_t elements = 1;
  int64_t first = 0;
};

std::vector<ConcatenatedRun> RunsOf(const Instruction& concatenate) {
  const int64_t dimension = concatenate.Integers(AttributeName::kDimensions).front();
  const llvm::ArrayRef<int64_t> sizes = concatenate.shape().sizes();
  int64_t minor = 1;
  const Sizes dimensions = PhysicalDimensions(concatenate.shape());
  for (const int64_t other : llvm::reverse(dimensions)) {
    if (other == dimension) break;
    minor *= sizes[static_cast<size_t>(other)];
  }
  std::vector<ConcatenatedRun> runs;
  int64_t first = 0;
  for (const Instruction* operand : concatenate.operands()) {
    const int64_t size = operand->shape().sizes()[static_cast<size_t>(dimension)];
    runs.push_back({size * minor, first * minor});
    first += size;
  }
  return runs;
}

// Which blocks go over the operands of a concatenate.
struct BlocksOfLoops {
  std::vector<int64_t> first;
  int64_t number = 0;
};

// Whether two operands are computed from elements of one array.
bool HaveCommonInput(const Instruction& a, const Instruction& b, const FusedComputation& fused) {
  return llvm::any_of(fused.inputs(), [&](const Instruction* input) {
    return input->shape().num_elements() > 1 && fused.Reaches(*input, a) &&
           fused.Reaches(*input, b);
  });
}

// The threads of each operand fill whole blocks. Neighbours of the same size share them as long as
// multiprocessors have work, or if they read the same: so what a thread computes of its number, or
// loads, serves several.
BlocksOfLoops Distribute(llvm::ArrayRef<VectorLoop> loops, int64_t of_block,
                         const Instruction& concatenate, const EmitterInput& input) {
  constexpr int kMostOfThread = 4;
  constexpr int64_t kLeastOfMultiprocessor = 2;
  const int64_t enough = kLeastOfMultiprocessor * input.plans.device.multiprocessors;
  BlocksOfLoops blocks;
  int of_thread = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t needed = support::CeilDiv(loops[i].threads(), of_block);
    const bool shares =
        i > 0 && loops[i] == loops[i - 1] && of_thread < kMostOfThread &&
        (needed >= enough ||
         HaveCommonInput(concatenate.operand(i), concatenate.operand(i - 1), input.fused));
    of_thread = shares ? of_thread + 1 : 1;
    blocks.first.push_back(shares ? blocks.first.back() : blocks.number);
    if (!shares) blocks.number += needed;
  }
  return blocks;
}

// The same elements of an operand in the result of a concatenate.
IndexingMap InConcatenate(const IndexingMap& of_operand, size_t dimension, int64_t first,
                          PlanContext& plans) {
  const mlir::AffineMap map = of_operand.affine_map();
  Expressions results(map.getResults());
  results[dimension] = results[dimension] + first;
  return plans.maps.Simplified(of_operand.WithResults(
      mlir::AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, plans.mlir_context)));
}

}  // namespace

int64_t WidestVector(const EmitterInput& input) {
  constexpr int64_t kMaxVectorBits = 128;
  // For so many elements that are computed one at most is read: indices, scalars. It matters little
  // how.
  constexpr int64_t kRarely = 16;
  int64_t elements = 0;
  const auto count = [&](const Shape& shape) {
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      elements = std::max(elements, shape.ArrayLeaf(leaf).num_elements());
    }
  };
  for (const FusionRoot& root : input.fused.roots()) count(root.instruction->shape());
  for (const Instruction* instruction : input.fused.instructions()) {
    if (instruction->opcode() == Opcode::kReduce) count(instruction->operand(0).shape());
  }
  int64_t bits = std::max<int64_t>(1, input.fused.LargestOutputBits());
  for (const Instruction* read : input.fused.inputs()) {
    const Shape& shape = read->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const Shape& array = shape.ArrayLeaf(leaf);
      if (array.num_elements() < support::CeilDiv(elements, kRarely)) continue;
      bits = std::max(bits, ElementWidth(array));
    }
  }
  const int64_t most = input.vector_elements.value_or(kMaxVectorBits);
  int64_t vector = 1;
  while (vector * 2 * bits <= kMaxVectorBits && vector * 2 <= most) vector *= 2;
  return vector;
}

KernelPlan PlanOurLoop(const EmitterInput& input) {
  KernelPlan plan;
  plan.emitter = Emitter::kLoop;
  plan.variant = "loop";
  plan.joins_arrays = true;
  const VectorChoice vectors(input);
  const auto loop_of = [&](const Shape& shape) {
    if (!IsPackedInTiles(shape)) return vectors.LoopOf(shape.num_elements());
    const int64_t vector = vectors.Of(shape.num_elements());
    return VectorLoop(NumPlaces(shape, input.plans), VectorOfPlaces(shape, vector, input.plans),
                      vectors.of_byte());
  };
  int64_t threads = 0;
  for (const FusionRoot& root : input.fused.roots()) {
    const Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      threads = std::max(threads, loop_of(shape.ArrayLeaf(leaf)).threads());
    }
  }
  plan.launch = LaunchOfThreads(threads, input.plans);
  HeroReads reads(input);
  for (const FusionRoot& root : input.fused.roots()) {
    const Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const Shape& array = shape.ArrayLeaf(leaf);
      for (LoopPart& part : PartsOfOutput(loop_of(array), plan.launch, array, input.plans)) {
        ElementPass& pass = plan.passes.emplace_back();
        pass.instruction = root.instruction;
        pass.leaf = leaf;
        pass.map = std::move(part.map);
        pass.store = StoreKind::kStore;
        pass.output = root.first_output + leaf;
        pass.vector_elements = part.vector;
        pass.places = std::move(part.places);
        reads.Add(pass);
      }
    }
  }
  plan.heroes = std::move(reads).Take();
  return plan;
}

KernelPlan PlanOurConcatenate(const EmitterInput& input) {
  const Instruction& hero = *input.heroes.front();
  const FusionRoot& root = input.fused.roots().front();
  const auto dimension = static_cast<size_t>(hero.Integers(AttributeName::kDimensions).front());
  const VectorChoice vectors(input);
  std::vector<VectorLoop> loops;
  int64_t threads = 0;
  for (const ConcatenatedRun& run : RunsOf(hero)) {
    const int64_t num_elements = hero.operand(loops.size()).shape().num_elements();
    int64_t vector = vectors.Of(num_elements);
    while (run.elements % vector != 0 || run.first % vector != 0) vector /= 2;
    // Two operands meet inside of a byte.
    if (vector < vectors.of_byte()) return PlanOurLoop(input);
    loops.emplace_back(num_elements, vector, vectors.of_byte());
    threads += loops.back().threads();
  }
  const int64_t of_block = ThreadsOfBlock(threads, input.plans);
  const BlocksOfLoops blocks = Distribute(loops, of_block, hero, input);
  KernelPlan plan;
  plan.emitter = Emitter::kConcatenate;
  plan.variant = "concatenate";
  plan.launch = LaunchOfBlocks(std::max<int64_t>(1, blocks.number), of_block);
  int64_t first = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    // In the order in which the result has the operand's elements.
    for (const LoopPart& part :
         PartsOf(loops[i], plan.launch, blocks.first[i], hero.operand(i).shape().sizes(),
                 PhysicalDimensions(hero.shape()), input.plans)) {
      ElementPass& pass = plan.passes.emplace_back();
      pass.instruction = root.instruction;
      pass.map = Bitcast(InConcatenate(part.map, dimension, first, input.plans), hero.shape(),
                         root.instruction->shape());
      pass.store = StoreKind::kStore;
      pass.output = root.first_output;
      pass.vector_elements = part.vector;
      plan.heroes.push_back({root.first_output, &hero, static_cast<int64_t>(i), part.map});
    }
    first += hero.operand(i).shape().sizes()[dimension];
  }
  return plan;
}

namespace {

// Where the updates begin, which the threads read that have elements of them.
void AddStarts(const EmitterInput& input, KernelPlan& plan) {
  constexpr size_t kFirstStart = 2;
  const size_t num_updates = plan.passes.size();
  for (size_t i = 0; i < num_updates; i += 2) {
    const Instruction& hero = *plan.passes[i + 1].instruction;
    const llvm::ArrayRef<int64_t> sizes = hero.shape().sizes();
    if (hero.operands().size() != kFirstStart + sizes.size()) continue;
    llvm::SmallPtrSet<const Instruction*, 4> starts;
    for (size_t k = 0; k < sizes.size(); ++k) {
      // A start that cannot vary is not read.
      if (hero.operand(1).shape().sizes()[k] == sizes[k]) continue;
      if (!starts.insert(&hero.operand(kFirstStart + k)).second) continue;
      const IndexingMap& elements = plan.passes[i].map;
      const mlir::AffineMap map = elements.affine_map();
      plan.passes.push_back(
          LoadPass(hero.operand(kFirstStart + k),
                   input.plans.maps.Simplified(elements.WithResults(mlir::AffineMap::get(
                       map.getNumDims(), map.getNumSymbols(), input.plans.mlir_context))),
                   1));
    }
  }
}

}  // namespace

KernelPlan PlanOurDynamicUpdateSlice(const EmitterInput& input) {
  // An update may begin and end inside of a byte, whose other elements stay.
  if (input.fused.SmallestStorageBits() < 8) return PlanOurLoop(input);
  KernelPlan plan;
  plan.emitter = Emitter::kDynamicUpdateSlice;
  plan.variant = "in-place dynamic-update-slice";
  const VectorChoice vectors(input);
  const auto loop_of = [&](const Instruction& hero) {
    return vectors.LoopOf(hero.operand(1).shape().num_elements());
  };
  int64_t threads = 0;
  for (const Instruction* hero : input.heroes) {
    threads = std::max(threads, loop_of(*hero).threads());
  }
  plan.launch = LaunchOfThreads(threads, input.plans);
  for (size_t r = 0; r < input.fused.roots().size(); ++r) {
    const FusionRoot& root = input.fused.roots()[r];
    const Instruction& hero = *input.heroes[r];
    const Shape& update = hero.operand(1).shape();
    for (const LoopPart& part : PartsOf(loop_of(hero), plan.launch, update, input.plans)) {
      plan.passes.push_back(LoadPass(hero.operand(1), part.map, part.vector));
      plan.passes.push_back(StorePass(*root.instruction, 0, root.first_output,
                                      PlaceOfOperand(input, part.map, hero, 0, 1), part.vector));
      plan.heroes.push_back({root.first_output, &hero, 1, part.map});
    }
  }
  AddStarts(input, plan);
  return plan;
}

}  // namespace hlo_indexing::plan
