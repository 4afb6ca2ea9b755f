// Scans: each thread goes through the elements at one place of all slices, and carries what the
// computation makes of them.
#include <vector>

#include "codegen/emit/kernel_emitter.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using mlir::ValueRange;
using plan::ElementPass;

// The passes of a scan are its arrays and initial values, then its outputs and the last values.
void EmitScan(KernelEmitter& kernel) {
  const std::vector<ElementPass>& passes = kernel.plan().passes;
  const Instruction& scan = *passes.back().instruction;
  const hlo::Computation& step = *scan.Callee(AttributeName::kToApply);
  const size_t num_operands = scan.operands().size();
  const auto num_carries =
      static_cast<size_t>(scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0));
  const size_t num_arrays = num_operands - num_carries;
  const size_t num_outputs = passes.size() - num_operands - num_carries;
  const auto dimension = static_cast<size_t>(scan.Integers(AttributeName::kDimensions).front());
  const llvm::ArrayRef<int64_t> sizes = scan.operand(0).shape().sizes();
  // All slices are alike, so that a place in one is a place in each.
  for (size_t i = 0; i < passes.size(); ++i) {
    const bool is_carry = i < num_operands ? i >= num_arrays : i >= num_operands + num_outputs;
    const hlo::Shape& shape =
        i < num_operands ? scan.operand(i).shape() : scan.shape().ArrayLeaf(passes[i].leaf);
    llvm::SmallVector<int64_t, 6> expected(sizes);
    if (is_carry) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(dimension));
    if (!shape.IsArray() || shape.sizes() != llvm::ArrayRef<int64_t>(expected)) {
      return kernel.Fail("carries arrays of other sizes than its slices");
    }
  }
  KernelBuilder& builder = kernel.builder();
  ElementEmitter& elements = kernel.elements();
  const IndexingMap& element = passes.front().map;
  mlir::AffineMap affine = element.affine_map();
  llvm::SmallVector<mlir::AffineExpr, 6> index(affine.getResults());
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(dimension));
  const IndexingMap slice_in_loop = element.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), index, element.context()));
  // The same place without the loop: where there are carried values, their own map.
  affine = mlir::AffineMap::get(affine.getNumDims(), 0, index, element.context());
  const IndexingMap slice =
      num_carries > 0 ? passes[num_arrays].map
                      : IndexingMap(affine, element.dimensions(), {}, {}, element.constraints());
  std::vector<ElementType> types;
  for (size_t i = num_arrays; i < num_operands; ++i) {
    types.push_back(scan.operand(i).shape().element_type());
  }
  kernel.ForElements(slice, 1, [&](const IndexingMap&) {
    Values carried;
    for (size_t i = num_arrays; i < num_operands; ++i) {
      llvm::append_range(carried, Flatten(elements.Compute(scan.operand(i), 0, slice)));
    }
    const Values last =
        builder.For(0, sizes[dimension] - 1, carried, [&](mlir::Value place, ValueRange values) {
          return elements.InScope([&] {
            kernel.SetLoops({place});
            std::vector<Lanes> parameters;
            for (size_t i = 0; i < num_arrays; ++i) {
              parameters.push_back(elements.Compute(scan.operand(i), 0, element));
            }
            llvm::append_range(parameters, SplitLanes(values, types));
            const std::vector<Lanes> results =
                elements.Apply(step, std::move(parameters), slice_in_loop);
            Values next;
            for (size_t i = 0; i < results.size(); ++i) {
              if (i >= num_outputs) {
                llvm::append_range(next, Flatten(results[i]));
                continue;
              }
              const ElementPass& pass = passes[num_operands + i];
              elements.Store(results[i], *pass.output, pass.map);
            }
            return next;
          });
        });
    kernel.SetLoops({});
    const std::vector<Lanes> results = SplitLanes(last, types);
    for (size_t i = 0; i < num_carries; ++i) {
      const ElementPass& pass = passes[num_operands + num_outputs + i];
      elements.Store(results[i], *pass.output, pass.map);
    }
  });
}

}  // namespace hlo_indexing::emit
