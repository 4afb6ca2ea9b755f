// Reductions: each thread combines what it reads, lanes combine their results by shuffles, and what
// is then left in several warps, or in several groups of lanes, through shared memory. Where
// several blocks have the same results, each leaves its own in scratch memory, and counts; the one
// that comes last combines what all have left, always in the same order.
#include <memory>
#include <optional>
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/reducer_identity.h"
#include "codegen/emit/reduction_hero.h"
#include "codegen/plan/pass_loops.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "support/checked_math.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementType;
using hlo::Instruction;
using mlir::Value;
using mlir::ValueRange;
using plan::ElementPass;
using plan::SharedAccess;
using plan::SharedTile;

namespace {

class ReductionKernel {
 public:
  explicit ReductionKernel(KernelEmitter& kernel)
      : kernel_(kernel), builder_(kernel.builder()), elements_(kernel.elements()) {}

  // The reductions of rows one after the other, each with the results of those before it, and then
  // all roots.
  void EmitRows() {
    const plan::KernelPlan& plan = kernel_.plan();
    size_t next_tile = 0;
    size_t i = 0;
    for (const Instruction* reduce : HeroesOfRows()) {
      Hero hero;
      hero.reduce = reduce;
      const size_t arrays = reduce->operands().size() / 2;
      for (size_t k = 0; k < arrays; ++k) {
        hero.loads.push_back(&plan.passes[i + k]);
        hero.initial.push_back(&plan.passes[i + arrays + k]);
        hero.results.push_back(&plan.passes[i + 2 * arrays + k]);
      }
      i += 3 * arrays;
      while (next_tile < plan.shared_tiles.size() &&
             plan.shared_tiles[next_tile].hero == hero.reduce) {
        hero.tiles.push_back(&plan.shared_tiles[next_tile++]);
      }
      AllocateArrays(hero);
      CombineWithinThreads({{&hero}, {}});
      CombineWithinBlock(hero);
      CombineWithInitial(hero);
      elements_.ProvideAt(
          *hero.reduce, hero.results.front()->map,
          [values = hero.values](int64_t leaf) { return values[static_cast<size_t>(leaf)]; });
    }
    elements_.SetReadCondition(Value());
    std::vector<const ElementPass*> roots;
    for (; i < plan.passes.size(); ++i) {
      const ElementPass& pass = plan.passes[i];
      // Those of other threads or elements are made apart; other layouts only have other maps.
      const bool is_alike =
          roots.empty() || (roots.front()->vector_elements == pass.vector_elements &&
                            plan::HaveSameDomain(roots.front()->map, pass.map));
      if (!is_alike) {
        StoreRoots(roots);
        roots.clear();
      }
      roots.push_back(&pass);
    }
    StoreRoots(roots);
  }

  void Emit() {
    Collect();
    for (Hero& hero : heroes_) AllocateArrays(hero);
    const bool is_divided = kernel_.plan().blocks_of_group > 1;
    for (const auto& [first, loop] : loops_) {
      if (loop.heroes.empty()) {
        kernel_.StorePasses(loop.side_outputs);
        continue;
      }
      kernel_.InBlocksOf(loop.heroes.front()->loads.front()->map, [&, &of_loop = loop] {
        CombineWithinThreads(of_loop);
        for (Hero* hero : of_loop.heroes) {
          CombineWithinBlock(*hero);
          if (is_divided) {
            StorePartials(*hero);
          } else {
            Finish(*hero);
          }
        }
      });
    }
    if (!is_divided) return;
    const Value comes_last = EmitComesLast();
    GoOnAsLastOfGroup();
    builder_.If(comes_last, [&] {
      elements_.InScope([&] {
        for (Hero& hero : heroes_) {
          kernel_.InBlocksOf(hero.loads.front()->map, [&] {
            CombinePartials(hero);
            Finish(hero);
          });
        }
      });
    });
  }

 private:
  // Passes come in this order: for each hero its arrays and initial values, then what is made of
  // its results; side outputs anywhere.
  void Collect() {
    const plan::KernelPlan& plan = kernel_.plan();
    const std::vector<size_t> loops = plan::LoopsOf(plan);
    std::vector<size_t> loop_of_hero;
    // The first tile is that of EmitComesLast.
    size_t next_tile = plan.blocks_of_group > 1 ? 1 : 0;
    for (size_t i = 0; i < plan.passes.size(); ++i) {
      const ElementPass& pass = plan.passes[i];
      if (pass.store == plan::StoreKind::kStore && pass.available.empty()) {
        loops_[loops[i]].side_outputs.push_back(&pass);
        continue;
      }
      if (pass.store == plan::StoreKind::kStore) {
        const auto hero = llvm::find_if(
            heroes_, [&](const Hero& known) { return known.reduce == pass.available.front(); });
        hero->results.push_back(&pass);
        continue;
      }
      Hero& hero = heroes_.emplace_back();
      loops_.insert({loops[i], {}});
      loop_of_hero.push_back(loops[i]);
      hero.reduce = HeroOf(i);
      const size_t arrays = hero.reduce->operands().size() / 2;
      for (size_t k = 0; k < arrays; ++k) hero.loads.push_back(&plan.passes[i + k]);
      for (size_t k = 0; k < arrays; ++k) hero.initial.push_back(&plan.passes[i + arrays + k]);
      i += 2 * arrays - 1;
      while (next_tile < plan.shared_tiles.size() &&
             plan.shared_tiles[next_tile].hero == hero.reduce) {
        hero.tiles.push_back(&plan.shared_tiles[next_tile++]);
      }
      for (const SharedTile& partials : plan.scratch_arrays) {
        if (partials.hero == hero.reduce) hero.partials.push_back(&partials);
      }
    }
    for (size_t i = 0; i < heroes_.size(); ++i) {
      loops_[loop_of_hero[i]].heroes.push_back(&heroes_[i]);
    }
  }

  // Turns of the loop of a pass that is written out, if it is and there is one.
  Interval TurnsOf(const ElementPass& pass) const {
    const size_t lanes = pass.vector_elements > 1 ? 1 : 0;
    const bool has_turns =
        kernel_.plan().keeps_rows && !pass.map.IsUnknown() && pass.map.num_ranges() > lanes;
    return has_turns ? pass.map.ranges().front().bounds : Interval::Point(kNoTurn);
  }
  IndexingMap AtTurn(const ElementPass& pass, int64_t turn) {
    return turn == kNoTurn ? pass.map : plan::AtRange(pass.map, 0, turn, kernel_.plans().maps);
  }

  void StoreRoots(llvm::ArrayRef<const ElementPass*> roots) {
    const Interval turns = TurnsOf(*roots.front());
    std::vector<std::vector<ElementPass>> in_turns;
    for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
      std::vector<ElementPass>& passes = in_turns.emplace_back();
      for (const ElementPass* root : roots) passes.emplace_back(*root).map = AtTurn(*root, turn);
    }
    const auto store = [&](const std::vector<ElementPass>& passes,
                           llvm::function_ref<void()> behind) {
      std::vector<const ElementPass*> of_turn;
      for (const ElementPass& pass : passes) of_turn.push_back(&pass);
      kernel_.StorePasses(of_turn, behind);
    };
    const auto store_others = [&] {
      for (size_t i = 1; i < in_turns.size(); ++i) store(in_turns[i], nullptr);
    };
    // Who has a later turn has the first one, and what has been loaded for that.
    const ElementPass& first = in_turns.front().front();
    const bool has_first = !first.map.IsUnknown() && !first.map.IsKnownEmpty() &&
                           !kernel_.HasLanesApart(first) &&
                           llvm::all_of(in_turns, [&](const std::vector<ElementPass>& passes) {
                             const IndexingMap& map = passes.front().map;
                             return map.IsKnownEmpty() || plan::HasDomainWithin(map, first.map);
                           });
    if (has_first) return store(in_turns.front(), store_others);
    store(in_turns.front(), nullptr);
    store_others();
  }

  // The reductions of rows, in the order of their passes: of each its arrays, initial values and
  // results. An initial value may be the result of another one.
  llvm::SmallVector<const Instruction*, 4> HeroesOfRows() const {
    llvm::SmallVector<const Instruction*, 4> heroes;
    for (const plan::HeroRead& read : kernel_.plan().heroes) {
      if (heroes.empty() || heroes.back() != read.hero) heroes.push_back(read.hero);
    }
    return heroes;
  }

  // The hero whose arrays are loaded from a pass on: that of the next results.
  const Instruction* HeroOf(size_t pass) const {
    const std::vector<ElementPass>& passes = kernel_.plan().passes;
    while (passes[pass].available.empty()) ++pass;
    return passes[pass].available.front();
  }

  // The variables are those of the hero's loads, without loops.
  std::vector<Lanes> Apply(const Hero& hero, const std::vector<Lanes>& a,
                           const std::vector<Lanes>& b) {
    std::vector<Lanes> parameters = a;
    llvm::append_range(parameters, b);
    return elements_.Apply(hero.reducer(), std::move(parameters), hero.initial.front()->map);
  }

  static std::vector<Lanes> OneLane(const std::vector<Lanes>& values, size_t lane) {
    std::vector<Lanes> one;
    for (const Lanes& lanes : values) one.push_back({lanes[lanes.size() == 1 ? 0 : lane]});
    return one;
  }

  Values FlattenAll(const std::vector<Lanes>& values) {
    Values all;
    for (const Lanes& lanes : values) llvm::append_range(all, Flatten(lanes));
    return all;
  }
  std::vector<Lanes> UnflattenAll(const Hero& hero, ValueRange values, size_t count) {
    std::vector<Lanes> all;
    for (size_t i = 0; i < hero.num_arrays(); ++i) {
      const size_t width = count * (IsComplex(hero.type(i)) ? 2 : 1);
      all.push_back(Unflatten(values.take_front(width), hero.type(i)));
      values = values.drop_front(width);
    }
    return all;
  }

  void WithoutLoops(int64_t lanes) {
    Values dimensions;
    for (size_t i = 0; i < plan::kThreadDimensionNames.size(); ++i) {
      dimensions.push_back(builder_.ThreadIndex(i));
    }
    Values ranges;
    if (lanes > 1) ranges.push_back(Value());
    elements_.SetVariables(std::move(dimensions), std::move(ranges), lanes);
  }

  // Where all blocks and branches can use them.
  void AllocateArrays(Hero& hero) {
    for (size_t i = 0; i < hero.tiles.size(); ++i) {
      hero.shared.push_back(std::make_unique<SharedArray>(kernel_, *hero.tiles[i], hero.type(i)));
    }
    for (size_t i = 0; i < hero.partials.size(); ++i) {
      const Value base = builder_.Offset(kernel_.scratch(), next_scratch_);
      next_scratch_ +=
          support::CeilDiv(hero.partials[i]->bytes(), plan::KernelPlan::kScratchAlignment) *
          plan::KernelPlan::kScratchAlignment;
      hero.scratch.push_back(
          std::make_unique<SharedArray>(kernel_, *hero.partials[i], hero.type(i), base));
    }
  }

  void Finish(Hero& hero) {
    CombineWithInitial(hero);
    for (const ElementPass* pass : hero.results) StoreResult(hero, *pass);
  }

  void EmitStart(Hero& hero) {
    WithoutLoops(1);
    hero.initial_values.clear();
    for (const ElementPass* pass : hero.initial) {
      hero.initial_values.push_back(elements_.Compute(*pass->instruction, pass->leaf, pass->map));
    }
    hero.identity = hero.num_arrays() == 1 ? EmitIdentity(builder_, hero.reducer()) : std::nullopt;
    // Where no identity is known, the initial value has to be one: HLO allows to combine it as
    // often as one likes ("Reduce" in XLA's operation semantics).
    hero.start = hero.initial_values;
    if (hero.identity.has_value()) hero.start = {{*hero.identity}};
  }

  void CombineWithinThreads(const SharedLoop& loop) {
    for (Hero* hero : loop.heroes) {
      EmitStart(*hero);
      hero->values = hero->start;
    }
    Accumulate(loop);
  }

  void CombineWithinBlock(Hero& hero) {
    WithoutLoops(1);
    const auto vector = static_cast<size_t>(hero.loads.front()->vector_elements);
    if (!hero.keeps_lanes()) CombineLanes(hero, vector);
    CombineThreads(hero, /*first_access=*/0);
  }

  // By the accesses of the tiles from one on.
  void CombineThreads(Hero& hero, size_t first_access) {
    Shuffle(hero, kernel_.plan().shuffled_lanes, kernel_.plan().shuffle_distance);
    if (!hero.tiles.empty()) Exchange(hero, first_access);
    WithoutLoops(1);
  }

  void CombineWithInitial(Hero& hero) {
    if (!hero.identity.has_value()) return;
    const size_t count = hero.values.front().size();
    hero.values = Apply(hero, {Replicate(hero.initial_values.front(), count)}, hero.values);
  }

  void StorePartials(Hero& hero) {
    const SharedAccess& fill = hero.partials.front()->accesses.front();
    kernel_.ForElements(fill.index, fill.vector_elements, [&](const IndexingMap&) {
      for (size_t i = 0; i < hero.num_arrays(); ++i) {
        hero.scratch[i]->Store(hero.values[i], hero.partials[i]->accesses.front());
      }
    });
    WithoutLoops(1);
  }

  // What all blocks of the group have left, as if they were the elements.
  void CombinePartials(Hero& hero) {
    EmitStart(hero);
    hero.values = hero.start;
    for (Lanes& lanes : hero.values) lanes = Replicate(lanes, hero.lanes());
    CombineWith(hero, hero.scratch, hero.partials, 1);
    CombineThreads(hero, /*first_access=*/2);
  }

  // Whether the block is the last of its group to come here: it sees what all others have stored.
  // The counter starts again at zero then.
  Value EmitComesLast() {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const plan::KernelPlan& plan = kernel_.plan();
    const mlir::Type type = builder_.integer_type(32);
    const Value last = builder_.Integer(type, plan.blocks_of_group - 1);
    SharedArray arrived(kernel_, plan.shared_tiles.front(), ElementType::kU32);
    builder_.Barrier();
    WithoutLoops(1);
    kernel_.ForElements(
        plan.shared_tiles.front().accesses.front().index, 1, [&](const IndexingMap&) {
          const Value first_of_group =
              arith::MulIOp::create(ops, builder_.ThreadIndex(plan::kBlockZ),
                                    builder_.Integer(type, plan.launch.blocks[0]));
          const Value group =
              arith::AddIOp::create(ops, first_of_group, builder_.ThreadIndex(plan::kBlockX));
          builder_.Fence();
          const Value before = builder_.AtomicUpdate(mlir::LLVM::AtomicBinOp::uinc_wrap,
                                                     kernel_.counters(), group, last);
          builder_.Fence();
          arrived.Store({{before, Value()}}, plan.shared_tiles.front().accesses.front());
        });
    builder_.Barrier();
    WithoutLoops(1);
    const Lanes before = arrived.Load(plan.shared_tiles.front().accesses.back());
    return arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, before.front().value, last);
  }

  void GoOnAsLastOfGroup() {
    builder_.SetThreadIndex(plan::kBlockY,
                            builder_.Integer(32, kernel_.plan().blocks_of_group - 1));
  }

  // The values of each hero become what the thread combines of what it reads, in each lane.
  void Accumulate(const SharedLoop& loop) {
    const ElementPass& first = *loop.heroes.front()->loads.front();
    const auto vector = static_cast<size_t>(first.vector_elements);
    Values carried;
    for (Hero* hero : loop.heroes) {
      for (Lanes& lanes : hero->values) lanes = Replicate(lanes, vector);
      llvm::append_range(carried, FlattenAll(hero->values));
    }
    if (kernel_.plan().keeps_rows) {
      return TakeValues(loop, vector, AccumulateKept(loop, vector, std::move(carried)));
    }
    const Values results = kernel_.ForElements(
        first.map, first.vector_elements, carried,
        [&](ValueRange values) { return AccumulateElements(loop, vector, kNoTurn, values); });
    TakeValues(loop, vector, results);
  }

  // Not inside of loops and branches, so that what is computed can be used again. Elements that the
  // thread has not are computed from zeros, and dropped.
  Values AccumulateKept(const SharedLoop& loop, size_t vector, Values carried) {
    const ElementPass& first = *loop.heroes.front()->loads.front();
    const Interval turns = TurnsOf(first);
    for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
      const IndexingMap map = AtTurn(first, turn);
      if (map.IsKnownEmpty()) continue;
      const Value exists = kernel_.EnterElements(map, first.vector_elements);
      const Values combined = AccumulateElements(loop, vector, turn, carried);
      for (size_t i = 0; i < carried.size(); ++i) {
        carried[i] = exists == nullptr
                         ? combined[i]
                         : arith::SelectOp::create(builder_.ops(), exists, combined[i], carried[i]);
      }
    }
    elements_.SetReadCondition(Value());
    return carried;
  }

  // Parts numbers that a loop carries among its heroes.
  void TakeValues(const SharedLoop& loop, size_t vector, ValueRange values) {
    for (Hero* hero : loop.heroes) {
      const size_t count = FlattenAll(hero->values).size();
      hero->values = UnflattenAll(*hero, values.take_front(count), vector);
      values = values.drop_front(count);
    }
  }

  Values AccumulateElements(const SharedLoop& loop, size_t vector, int64_t turn,
                            ValueRange carried) {
    std::vector<std::vector<Lanes>> read;
    for (const Hero* hero : loop.heroes) {
      std::vector<Lanes>& of_hero = read.emplace_back();
      for (const ElementPass* pass : hero->loads) {
        of_hero.push_back(Replicate(
            elements_.Compute(*pass->instruction, pass->leaf, AtTurn(*pass, turn)), vector));
      }
    }
    std::vector<Lanes> stored;
    for (const ElementPass* pass : loop.side_outputs) {
      stored.push_back(elements_.Compute(*pass->instruction, pass->leaf, pass->map));
    }
    for (size_t i = 0; i < stored.size(); ++i) {
      elements_.Store(stored[i], *loop.side_outputs[i]->output, loop.side_outputs[i]->map);
    }
    TakeValues(loop, vector, carried);
    Values results;
    for (size_t i = 0; i < read.size(); ++i) {
      Hero& hero = *loop.heroes[i];
      std::vector<Lanes> combined =
          elements_.Apply(hero.reducer(), Joined(hero.values, read[i]), hero.loads.front()->map);
      for (Lanes& lanes : combined) lanes = Replicate(lanes, vector);
      llvm::append_range(results, FlattenAll(combined));
    }
    return results;
  }

  static std::vector<Lanes> Joined(std::vector<Lanes> a, const std::vector<Lanes>& b) {
    llvm::append_range(a, b);
    return a;
  }

  void CombineLanes(Hero& hero, size_t vector) {
    std::vector<Lanes> combined = OneLane(hero.values, 0);
    for (size_t lane = 1; lane < vector; ++lane) {
      combined = Apply(hero, combined, OneLane(hero.values, lane));
    }
    hero.values = combined;
  }

  // The first of `count` lanes, which are so far from each other, gets what all have; of rows that
  // go on, each lane does. One operation of both operands gives lanes that exchange theirs the same
  // result; else that of the first counts.
  void Shuffle(Hero& hero, int64_t count, int64_t step) {
    const bool is_exchange = is_for_all_lanes(hero) && hero.identity.has_value();
    for (int64_t distance = count * step / 2; distance >= step; distance /= 2) {
      const std::vector<Lanes> others = OfLanes(hero.values, [&](Value value) {
        return is_exchange ? builder_.ShuffleXor(value, distance)
                           : builder_.ShuffleDown(value, distance, count * step);
      });
      hero.values = Apply(hero, hero.values, others);
    }
    if (!is_for_all_lanes(hero) || is_exchange) return;
    hero.values =
        OfLanes(hero.values, [&](Value value) { return builder_.ShuffleFromFirst(value, count); });
  }

  // What other lanes have of these.
  static std::vector<Lanes> OfLanes(std::vector<Lanes> values,
                                    llvm::function_ref<Value(Value)> shuffle) {
    for (Lanes& lanes : values) {
      for (Number& number : lanes) {
        number.value = shuffle(number.value);
        if (number.imaginary != nullptr) number.imaginary = shuffle(number.imaginary);
      }
    }
    return values;
  }

  // Rows: the first warp of a row gets a value of each warp, or each warp does, and shuffles again.
  // Columns: the first lanes combine theirs with those of all others.
  void Exchange(Hero& hero, size_t first_access) {
    const SharedTile& tile = *hero.tiles.front();
    const SharedAccess& fill = tile.accesses[first_access];
    kernel_.ForElements(fill.index, fill.vector_elements, [&](const IndexingMap&) {
      for (size_t i = 0; i < hero.num_arrays(); ++i) {
        hero.shared[i]->Store(hero.values[i], hero.tiles[i]->accesses[first_access]);
      }
    });
    builder_.Barrier();
    const auto combine = [&] {
      if (is_row()) hero.values = hero.start;
      CombineWith(hero, hero.shared, hero.tiles, first_access + 1);
      if (is_row()) Shuffle(hero, tile.sizes.back(), /*step=*/1);
      return FlattenAll(hero.values);
    };
    // A branch costs as much as one shuffle.
    constexpr int64_t kFewWarps = 2;
    const int64_t warps = tile.sizes.back();
    if (!is_row() || is_for_all_lanes(hero) || warps <= kFewWarps) {
      combine();
      return;
    }
    const Values ends = builder_.If(
        IsFirstWarpOf(warps), [&] { return elements_.InScope(combine); },
        [&] { return FlattenAll(hero.start); });
    hero.values = UnflattenAll(hero, ends, 1);
  }

  // Whether the thread is in the first one of so many warps, a power of two, which have a row.
  Value IsFirstWarpOf(int64_t warps) {
    constexpr int64_t kWarpSize = 32;
    const Value thread = builder_.ThreadIndex(plan::kThreadX);
    const Value in_row = arith::AndIOp::create(
        builder_.ops(), thread, builder_.Integer(thread.getType(), warps * kWarpSize - 1));
    return arith::CmpIOp::create(builder_.ops(), arith::CmpIPredicate::ult, in_row,
                                 builder_.Integer(thread.getType(), kWarpSize));
  }

  bool is_row() const { return kernel_.plan().reduces_rows; }
  // Of rows that go on: whether all threads get the result, as all read what warps have left.
  bool is_for_all_lanes(const Hero& hero) const {
    const plan::KernelPlan& plan = kernel_.plan();
    if (plan.emitter != plan::Emitter::kRows) return false;
    if (hero.tiles.empty()) return true;
    const IndexingMap& read = hero.tiles.front()->accesses.back().index;
    return read.constraints().empty() &&
           read.dimensions()[plan::kThreadX].bounds.upper == plan.launch.threads[0] - 1;
  }

  // The values of a thread with those that it reads by an access of that number. Of a row, one
  // thread has one of these at most and no other value.
  void CombineWith(Hero& hero, const std::vector<std::unique_ptr<SharedArray>>& arrays,
                   const std::vector<const SharedTile*>& tiles, size_t number) {
    const SharedAccess& read = tiles.front()->accesses[number];
    const size_t count = hero.values.front().size();
    const Values results = kernel_.ForElements(
        read.index, read.vector_elements, FlattenAll(hero.values), [&](ValueRange values) {
          std::vector<Lanes> others;
          for (size_t i = 0; i < hero.num_arrays(); ++i) {
            others.push_back(Replicate(arrays[i]->Load(tiles[i]->accesses[number]), count));
          }
          if (is_row()) return FlattenAll(others);
          std::vector<Lanes> combined = elements_.Apply(
              hero.reducer(), Joined(UnflattenAll(hero, values, count), others), read.index);
          for (Lanes& lanes_of_array : combined) lanes_of_array = Replicate(lanes_of_array, count);
          return FlattenAll(combined);
        });
    WithoutLoops(1);
    hero.values = UnflattenAll(hero, results, count);
  }

  void StoreResult(const Hero& hero, const ElementPass& pass) {
    kernel_.ForElements(pass.map, pass.vector_elements, [&](const IndexingMap& map) {
      const bool is_lane = pass.vector_elements > 1 && elements_.lanes() == 1;
      const auto lane = static_cast<size_t>(is_lane ? map.ranges().back().bounds.lower : 0);
      elements_.Provide(*hero.reduce, [&hero, is_lane, lane](int64_t leaf) -> Lanes {
        const Lanes& lanes = hero.values[static_cast<size_t>(leaf)];
        return is_lane ? Lanes{lanes[lanes.size() == 1 ? 0 : lane]} : lanes;
      });
      elements_.Store(elements_.Compute(*pass.instruction, pass.leaf, map), *pass.output, map);
      elements_.ForgetProvided();
    });
  }

  // Of passes whose loop is none, or is not written out.
  static constexpr int64_t kNoTurn = -1;

  KernelEmitter& kernel_;
  KernelBuilder& builder_;
  ElementEmitter& elements_;
  std::vector<Hero> heroes_;
  // By number.
  llvm::MapVector<size_t, SharedLoop> loops_;
  // Where the next array in scratch memory begins.
  int64_t next_scratch_ = 0;
};

}  // namespace

void EmitReduction(KernelEmitter& kernel) { ReductionKernel(kernel).Emit(); }

void EmitRows(KernelEmitter& kernel) { ReductionKernel(kernel).EmitRows(); }

}  // namespace hlo_indexing::emit
