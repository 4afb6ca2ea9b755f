// Transposes: a block fills tiles in shared memory in the order of the input, waits, and stores
// what it reads there in the order of the output.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "codegen/emit/shared_array.h"
#include "codegen/plan/pass_loops.h"
#include "codegen/plan/thread_map.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::emit {

using hlo::Instruction;
using mlir::Value;
using plan::ElementPass;
using plan::SharedAccess;
using plan::SharedTile;

namespace {

class TransposeKernel {
 public:
  explicit TransposeKernel(KernelEmitter& kernel) : kernel_(kernel) {
    for (const SharedTile& tile : kernel.plan().shared_tiles) {
      arrays_.insert({tile.hero, std::make_unique<SharedArray>(kernel, tile,
                                                               tile.hero->shape().element_type())});
      tiles_[tile.hero] = &tile;
    }
  }

  void Emit() {
    const std::vector<size_t> loops = plan::LoopsOf(kernel_.plan());
    llvm::MapVector<size_t, SharedLoop> together;
    llvm::MapVector<size_t, StoreLoop> stores;
    size_t next_tile = 0;
    for (size_t i = 0; i < loops.size(); ++i) {
      const ElementPass& pass = kernel_.plan().passes[i];
      if (pass.store == plan::StoreKind::kNone) {
        together[loops[i]].loads.emplace_back(&pass, &kernel_.plan().shared_tiles[next_tile++]);
      } else if (pass.available.empty()) {
        together[loops[i]].side_outputs.push_back(&pass);
      } else {
        stores[loops[i]].push_back(&pass);
      }
    }
    for (const auto& [first, loop] : together) {
      if (loop.loads.empty()) {
        kernel_.StorePasses(loop.side_outputs);
      } else {
        Fill(loop);
      }
    }
    kernel_.builder().Barrier();
    for (const auto& [first, loop] : stores) Store(loop);
  }

 private:
  // What is loaded in one loop, all at the same places: to tiles, and for side outputs.
  struct SharedLoop {
    llvm::SmallVector<std::pair<const ElementPass*, const SharedTile*>, 2> loads;
    llvm::SmallVector<const ElementPass*, 2> side_outputs;
  };

  // What is stored in one loop, of the same elements of tiles.
  using StoreLoop = llvm::SmallVector<const ElementPass*, 2>;

  void Fill(const SharedLoop& loop) {
    const auto [load, tile] = loop.loads.front();
    // Where a row of the minor dimension stays as it is, or words are elements.
    const bool is_turned = load->vector_elements > 1 && tile->sizes.size() == 2;
    if (is_turned) return FillTurned(loop);
    if (IsCutOff(loop)) return FillByConditions(loop);
    kernel_.ForElements(load->map, load->vector_elements, [&](const IndexingMap& map) {
      const std::vector<Lanes> loaded =
          Load(loop, [&](const ElementPass& pass) { return kernel_.InLoopAt(map, pass.map); });
      for (size_t i = 0; i < loaded.size(); ++i) {
        const auto [pass, filled] = loop.loads[i];
        arrays_[filled->hero]->Store(loaded[i], AccessAt(filled->accesses.front(), *pass, map));
      }
    });
  }

  // Whether tiles hang over the array, in one loop of a few turns. A turn that is a branch would
  // wait for what it loads before the next one begins.
  static bool IsCutOff(const SharedLoop& loop) {
    constexpr int64_t kFewTurns = 16;
    const ElementPass& first = *loop.loads.front().first;
    if (!loop.side_outputs.empty() || first.vector_elements > 1) return false;
    if (first.map.IsUnknown() || first.map.constraints().empty()) return false;
    return first.map.num_ranges() == 1 && first.map.ranges().front().bounds.upper < kFewTurns;
  }

  // All turns load, under their conditions, and then all store.
  void FillByConditions(const SharedLoop& loop) {
    plan::MapTable& maps = kernel_.plans().maps;
    const IndexingMap& map = loop.loads.front().first->map;
    const Interval turns = map.ranges().front().bounds;
    std::vector<std::vector<Lanes>> loaded;
    kernel_.elements().InTurns([&] {
      for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
        const IndexingMap at = plan::AtRange(map, 0, turn, maps);
        loaded.emplace_back();
        if (at.IsKnownEmpty()) continue;
        kernel_.EnterElements(at, 1);
        loaded.back() = Load(
            loop, [&](const ElementPass& pass) { return plan::AtRange(pass.map, 0, turn, maps); });
      }
    });
    for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
      const std::vector<Lanes>& of_turn = loaded[static_cast<size_t>(turn - turns.lower)];
      if (of_turn.empty()) continue;
      const Value exists = kernel_.EnterElements(plan::AtRange(map, 0, turn, maps), 1);
      kernel_.builder().If(exists, [&] {
        for (size_t i = 0; i < of_turn.size(); ++i) {
          const SharedTile& tile = *loop.loads[i].second;
          SharedAccess access = tile.accesses.front();
          access.index = plan::AtRange(access.index, 0, turn, maps);
          arrays_[tile.hero]->Store(of_turn[i], access);
        }
      });
    }
    kernel_.elements().SetReadCondition(Value());
  }

  // The elements for the tiles; those of side outputs are stored.
  std::vector<Lanes> Load(const SharedLoop& loop,
                          llvm::function_ref<IndexingMap(const ElementPass&)> index_of) {
    ElementEmitter& elements = kernel_.elements();
    std::vector<Lanes> loaded;
    for (const auto& [pass, tile] : loop.loads) {
      loaded.push_back(elements.Compute(*pass->instruction, pass->leaf, index_of(*pass)));
    }
    std::vector<Lanes> stored;
    for (const ElementPass* pass : loop.side_outputs) {
      stored.push_back(elements.Compute(*pass->instruction, pass->leaf, index_of(*pass)));
    }
    for (size_t i = 0; i < stored.size(); ++i) {
      const ElementPass& pass = *loop.side_outputs[i];
      elements.Store(stored[i], *pass.output, index_of(pass));
    }
    return loaded;
  }

  // Of a vector that was taken apart, the access of one lane.
  SharedAccess AccessAt(const SharedAccess& access, const ElementPass& pass,
                        const IndexingMap& map) {
    SharedAccess at = access;
    const bool is_lane = pass.vector_elements > 1 && kernel_.elements().lanes() == 1;
    if (is_lane) {
      at.index = AtLane(access.index, map.ranges().back().bounds.lower, kernel_.plans().maps);
    }
    return at;
  }

  // A thread has V rows of V elements: it loads vectors along the rows and stores vectors along the
  // columns. The last two ranges are row and column where it loads, column and row where it stores.
  void FillTurned(const SharedLoop& loop) {
    plan::MapTable& maps = kernel_.plans().maps;
    const ElementPass& first = *loop.loads.front().first;
    const int64_t vector = first.vector_elements;
    const size_t row = first.map.num_ranges() - 2;
    // Loops over all but row and column; what the thread has not, it has as zeros.
    const IndexingMap steps =
        plan::AtRange(plan::AtRange(first.map, row, 0, maps), row + 1, 0, maps);
    kernel_.ForElements(steps, 1, [&](const IndexingMap&) {
      ElementEmitter& elements = kernel_.elements();
      const Values ranges = elements.ranges();
      Values of_row = ranges;
      of_row.back() = Value();
      elements.SetVariables(elements.dimensions(), of_row, vector);
      // By tile, row and column.
      std::vector<std::vector<Lanes>> rows(loop.loads.size());
      for (int64_t i = 0; i < vector; ++i) {
        const std::vector<Lanes> loaded = Load(
            loop, [&](const ElementPass& pass) { return plan::AtRange(pass.map, row, i, maps); });
        for (size_t k = 0; k < loaded.size(); ++k) {
          rows[k].push_back(Replicate(loaded[k], static_cast<size_t>(vector)));
        }
      }
      for (size_t k = 0; k < rows.size(); ++k) StoreTurned(rows[k], *loop.loads[k].second, row);
      elements.SetVariables(elements.dimensions(), ranges, 1);
    });
  }

  void StoreTurned(const std::vector<Lanes>& rows, const SharedTile& tile, size_t row) {
    const SharedAccess& fill = tile.accesses.front();
    for (size_t column = 0; column < rows.size(); ++column) {
      Lanes lanes;
      for (const Lanes& of_lane : rows) lanes.push_back(of_lane[column]);
      SharedAccess at = fill;
      at.index = plan::AtRange(fill.index, row, static_cast<int64_t>(column), kernel_.plans().maps);
      arrays_[tile.hero]->Store(lanes, at);
    }
  }

  // Few turns are written out: where one reads in its tile differs from the next in constants.
  void Store(const StoreLoop& loop) {
    constexpr int64_t kFewTurns = 8;
    const ElementPass& first = *loop.front();
    const size_t lanes = first.vector_elements > 1 ? 1 : 0;
    const bool has_turns = !first.map.IsUnknown() && first.map.num_ranges() > lanes;
    const Interval turns = has_turns ? first.map.ranges().front().bounds : Interval::Point(0);
    const auto store = [&](const IndexingMap& map) { StoreInTurn(loop, map); };
    if (!has_turns || turns.upper - turns.lower >= kFewTurns) {
      kernel_.ForElements(first.map, first.vector_elements, store);
    } else {
      kernel_.ForElementsInTurns(first.map, first.vector_elements, store);
    }
  }

  void StoreInTurn(const StoreLoop& loop, const IndexingMap& map) {
    const ElementPass& first = *loop.front();
    ElementEmitter& elements = kernel_.elements();
    // Of all that the loop stores.
    llvm::SmallDenseMap<const Instruction*, Lanes, 2> loaded;
    for (const ElementPass* pass : loop) {
      for (const Instruction* hero : pass->available) {
        elements.Provide(*hero, [this, hero, &first, &map, &loaded](int64_t) {
          const auto [known, is_new] = loaded.try_emplace(hero);
          if (is_new) {
            const SharedAccess& access = tiles_[hero]->accesses.back();
            known->second = arrays_[hero]->Load(AccessAt(access, first, map));
          }
          return known->second;
        });
      }
    }
    for (const ElementPass* pass : loop) {
      const IndexingMap index = kernel_.InLoopAt(map, pass->map);
      elements.Store(elements.Compute(*pass->instruction, pass->leaf, index), *pass->output, index);
    }
    elements.ForgetProvided();
  }

  KernelEmitter& kernel_;
  llvm::MapVector<const Instruction*, std::unique_ptr<SharedArray>> arrays_;
  llvm::DenseMap<const Instruction*, const SharedTile*> tiles_;
};

}  // namespace

void EmitTranspose(KernelEmitter& kernel) { TransposeKernel(kernel).Emit(); }

}  // namespace hlo_indexing::emit
