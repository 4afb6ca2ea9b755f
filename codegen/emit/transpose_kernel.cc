// Transposes: a block fills tiles in shared memory in the order of the input, waits, and stores
// what it reads there in the order of the output.
#include <memory>
#include <vector>

#include "codegen/emit/kernel_emitter.h"
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
    size_t next_tile = 0;
    std::vector<const ElementPass*> stores;
    for (const ElementPass& pass : kernel_.plan().passes) {
      if (pass.store == plan::StoreKind::kNone) {
        Fill(pass, kernel_.plan().shared_tiles[next_tile++]);
      } else if (pass.available.empty()) {
        kernel_.StorePasses({&pass});
      } else {
        stores.push_back(&pass);
      }
    }
    kernel_.builder().Barrier();
    for (const ElementPass* pass : stores) Store(*pass);
  }

 private:
  void Fill(const ElementPass& load, const SharedTile& tile) {
    const SharedAccess& fill = tile.accesses.front();
    const int64_t vector = load.vector_elements;
    // Where a row of the minor dimension stays as it is, or words are elements.
    const bool is_turned = vector > 1 && tile.sizes.size() == 2;
    if (!is_turned) {
      kernel_.ForElements(load.map, vector, [&](const IndexingMap& map) {
        const Lanes lanes = kernel_.elements().Compute(*load.instruction, load.leaf, map);
        arrays_[tile.hero]->Store(lanes, AccessAt(fill, load, map));
      });
      return;
    }
    FillTurned(load, tile, fill);
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
  void FillTurned(const ElementPass& load, const SharedTile& tile, const SharedAccess& fill) {
    plan::MapTable& maps = kernel_.plans().maps;
    const int64_t vector = load.vector_elements;
    const size_t row = load.map.num_ranges() - 2;
    // Loops over all but row and column; what the thread has not, it has as zeros.
    const IndexingMap steps = AtRange(AtRange(load.map, row, 0, maps), row + 1, 0, maps);
    kernel_.ForElements(steps, 1, [&](const IndexingMap&) {
      ElementEmitter& elements = kernel_.elements();
      const Values ranges = elements.ranges();
      Values of_row = ranges;
      of_row.back() = Value();
      elements.SetVariables(elements.dimensions(), of_row, vector);
      std::vector<Lanes> rows;
      for (int64_t i = 0; i < vector; ++i) {
        rows.push_back(Replicate(
            elements.Compute(*load.instruction, load.leaf, AtRange(load.map, row, i, maps)),
            static_cast<size_t>(vector)));
      }
      for (size_t column = 0; column < static_cast<size_t>(vector); ++column) {
        Lanes lanes;
        for (const Lanes& of_lane : rows) lanes.push_back(of_lane[column]);
        SharedAccess at = fill;
        at.index = AtRange(fill.index, row, static_cast<int64_t>(column), maps);
        arrays_[tile.hero]->Store(lanes, at);
      }
      elements.SetVariables(elements.dimensions(), ranges, 1);
    });
  }

  void Store(const ElementPass& pass) {
    kernel_.ForElements(pass.map, pass.vector_elements, [&](const IndexingMap& map) {
      ElementEmitter& elements = kernel_.elements();
      for (const Instruction* hero : pass.available) {
        elements.Provide(*hero, [this, hero, &pass, &map](int64_t) {
          return arrays_[hero]->Load(AccessAt(tiles_[hero]->accesses.back(), pass, map));
        });
      }
      const Lanes lanes = elements.Compute(*pass.instruction, pass.leaf, map);
      elements.Store(lanes, *pass.output, map);
      elements.ForgetProvided();
    });
  }

  KernelEmitter& kernel_;
  llvm::MapVector<const Instruction*, std::unique_ptr<SharedArray>> arrays_;
  llvm::DenseMap<const Instruction*, const SharedTile*> tiles_;
};

}  // namespace

void EmitTranspose(KernelEmitter& kernel) { TransposeKernel(kernel).Emit(); }

}  // namespace hlo_indexing::emit
