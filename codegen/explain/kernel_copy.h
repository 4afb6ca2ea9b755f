// A kernel, or a part of one, as a module of its own in which something is changed: to plan what a
// change would make of it. Private to the folder.
//
// Example: of a fusion that computes exp(transpose(negate(p))), the part that computes the
// transpose, and the part that reads it:
//
//   {.roots = {transpose}}                  a = parameter(0)  b = negate(a)  c = transpose(b)
//   {.roots = {exp}, .given = {transpose}}  a = parameter(0)  b = exponential(a)
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_COPY_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_COPY_H_

#include <memory>

#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::explain {

struct KernelPart {
  /// What it computes: instructions of the kernel; several become a tuple.
  llvm::SmallVector<const hlo::Instruction*, 2> roots;
  /// What it reads from memory instead of computing it.
  llvm::DenseSet<const hlo::Instruction*> given;
  /// Layouts of arrays that are other ones than the kernel has.
  llvm::DenseMap<const hlo::Instruction*, layout::Layout> layouts;
};

/// The roots of a kernel: the whole of it.
llvm::SmallVector<const hlo::Instruction*, 2> RootsOf(const plan::KernelPlan& plan);

/// A module without the word ENTRY whose last computation is the part. Its parameters are those
/// that the part reads, in the order of the kernel's, then what is given. Attributes that say
/// nothing about values are left out, names are numbers. The module points into that of the plan,
/// which must outlive it. Null if the arrays do not fit.
std::unique_ptr<hlo::Module> CopyPart(const plan::KernelPlan& plan, const KernelPart& part);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_KERNEL_COPY_H_
