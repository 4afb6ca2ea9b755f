// Scatters that are the root of their fusion: threads go over the updates, and each comes to the
// element that its index vector says, unless its window is not wholly inside. The arrays are
// updated in place: atomically, unless the indices are said to be unique.
#include <optional>
#include <vector>

#include "codegen/emit/atomics.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/plan/scatter_windows.h"
#include "hlo/attribute.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::Instruction;
using mlir::Value;
using plan::ElementPass;
using plan::ScatterWindows;

namespace {

class ScatterEmitter {
 public:
  explicit ScatterEmitter(KernelEmitter& kernel)
      : kernel_(kernel),
        elements_(kernel.elements()),
        scatter_(*kernel.plan().passes.back().instruction),
        num_arrays_(scatter_.operands().size() / 2),
        first_output_(kernel.plan().FirstOutputOf(scatter_)),
        windows_(scatter_) {}

  void Emit() {
    // The indices, then an update and the element that it goes to for each array.
    const std::vector<ElementPass>& passes = kernel_.plan().passes;
    if (IsAtomic()) {
      for (size_t i = 0; i < num_arrays_; ++i) EmitArrays(passes[1 + 2 * i], i, 1);
    } else {
      EmitArrays(passes[1], 0, num_arrays_);
    }
  }

 private:
  // Of all threads, also those whose updates reach nothing.
  IndexingMap MapOfUpdates(size_t array) const {
    const auto operand = static_cast<int64_t>(num_arrays_ + 1 + array);
    for (const plan::HeroRead& read : kernel_.plan().heroes) {
      if (read.hero == &scatter_ && read.operand == operand) return read.map;
    }
    return {};
  }

  bool IsAtomic() const { return kernel_.plan().passes.back().store == plan::StoreKind::kAtomic; }

  // Of arrays next to each other, all of which have the same updates.
  void EmitArrays(const ElementPass& load, size_t first, size_t count) {
    kernel_.ForElements(MapOfUpdates(first), load.vector_elements, [&](const IndexingMap& map) {
      const plan::Conditions conditions = windows_.PlaceOf(map).conditions;
      const std::optional<plan::Conditions> same =
          elements_.lanes() == 1
              ? conditions
              : SameForAllLanes(conditions, elements_.lanes(), kernel_.plans().maps);
      if (!same.has_value()) return EmitUpdates(map, first, count, /*are_reached=*/false);
      // What reaches nothing is not loaded.
      kernel_.builder().If(elements_.EmitConditions(*same), [&] {
        elements_.InScope([&] { EmitUpdates(map, first, count, /*are_reached=*/true); });
      });
    });
  }

  void EmitUpdates(const IndexingMap& map, size_t first, size_t count, bool are_reached) {
    const int64_t num_lanes = elements_.lanes();
    std::vector<Lanes> updates;
    for (size_t i = first; i < first + count; ++i) {
      const Instruction& update = scatter_.operand(num_arrays_ + 1 + i);
      updates.push_back(
          Replicate(elements_.Compute(update, 0, map), static_cast<size_t>(num_lanes)));
    }
    const Values ranges = elements_.ranges();
    for (int64_t lane = 0; lane < num_lanes; ++lane) {
      std::vector<Number> of_lane;
      for (const Lanes& update : updates) of_lane.push_back(update[static_cast<size_t>(lane)]);
      elements_.SetVariables(elements_.dimensions(), ranges, 1);
      EmitUpdate(num_lanes == 1 ? map : AtLane(map, lane, kernel_.plans().maps), of_lane, first,
                 are_reached);
    }
    elements_.SetVariables(elements_.dimensions(), ranges, num_lanes);
  }

  void EmitUpdate(const IndexingMap& update, llvm::ArrayRef<Number> values, size_t first,
                  bool is_reached) {
    elements_.InScope([&] {
      const ScatterWindows::Reached place = windows_.PlaceOf(update);
      const auto emit = [&] {
        if (IsAtomic()) {
          EmitAtomic(place.index, values.front(), first);
        } else {
          EmitPlain(place.index, values);
        }
      };
      if (is_reached) return emit();
      kernel_.builder().If(elements_.EmitConditions(place.conditions),
                           [&] { elements_.InScope(emit); });
    });
  }

  void EmitAtomic(const IndexingMap& index, const Number& value, size_t array) {
    const hlo::Computation& combiner = *scatter_.Callee(AttributeName::kToApply);
    const int64_t output = first_output_ + static_cast<int64_t>(array);
    const Value position = elements_.PositionOf(output, index);
    if (position == nullptr) return;
    EmitAtomicUpdate(kernel_.builder(), elements_.OutputBuffer(output), position,
                     plan::AtomicOperationOf(combiner, array, num_arrays_), value,
                     [&](const Number& old) {
                       // What other arrays would have does not matter to this one.
                       std::vector<Lanes> parameters;
                       for (size_t i = 0; i < 2 * num_arrays_; ++i) {
                         const hlo::Shape& shape = combiner.parameters()[i]->shape();
                         parameters.push_back({ZeroOf(kernel_.builder(), shape.element_type())});
                       }
                       parameters[array] = {old};
                       parameters[num_arrays_ + array] = {value};
                       return elements_.InScope([&] {
                         return elements_.Apply(combiner, parameters, index)[array].front();
                       });
                     });
  }

  void EmitPlain(const IndexingMap& index, llvm::ArrayRef<Number> values) {
    std::vector<Lanes> parameters;
    for (size_t i = 0; i < num_arrays_; ++i) {
      const int64_t output = first_output_ + static_cast<int64_t>(i);
      const Value position = elements_.PositionOf(output, index);
      if (position == nullptr) return;
      parameters.push_back(
          LoadLanes(kernel_.builder(), elements_.OutputBuffer(output), {position, 1, {0}}));
    }
    for (const Number& value : values) parameters.push_back({value});
    const std::vector<Lanes> combined =
        elements_.Apply(*scatter_.Callee(AttributeName::kToApply), parameters, index);
    for (size_t i = 0; i < num_arrays_; ++i) {
      elements_.Store(combined[i], first_output_ + static_cast<int64_t>(i), index);
    }
  }

  KernelEmitter& kernel_;
  ElementEmitter& elements_;
  const Instruction& scatter_;
  size_t num_arrays_;
  int64_t first_output_;
  ScatterWindows windows_;
};

}  // namespace

void EmitScatter(KernelEmitter& kernel) { ScatterEmitter(kernel).Emit(); }

}  // namespace hlo_indexing::emit
