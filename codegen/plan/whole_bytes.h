// Elements of less than a byte: which of them threads write together. Private to the folder.
//
// A byte is written by one thread, or others would write over its elements: by the last one that
// has any, or by one that has all. In the order of an array's memory a thread has neighbours, as
// many as a byte has. Where an array lies in tiles, its neighbours in memory are no neighbours in a
// row:
//
//   s4[4,6]{1,0:T(2,4)(2,1)E(4)}, bytes 0, 1, ...: (0,0) and (1,0), (0,1) and (1,1), ...
#ifndef HLO_INDEXING_CODEGEN_PLAN_WHOLE_BYTES_H_
#define HLO_INDEXING_CODEGEN_PLAN_WHOLE_BYTES_H_

#include <cstdint>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/shape.h"

namespace hlo_indexing::plan {

/// Whether elements of the array share bytes.
bool IsPacked(const hlo::Shape& shape);
/// The same, and they lie in tiles, or in padding of other kinds.
bool IsPackedInTiles(const hlo::Shape& shape);

/// The places in memory up to the byte of the last element, padding included.
int64_t NumPlaces(const hlo::Shape& shape, PlanContext& plans);

/// The largest vector of at most so many places in memory, all of which are elements or none; at
/// least those of a byte, whatever these are.
int64_t VectorOfPlaces(const hlo::Shape& shape, int64_t most, PlanContext& plans);

/// Whether no two threads write to the same byte of an output, and each thread writes all elements
/// of a byte together.
bool WritesWholeBytes(const KernelPlan& plan, PlanContext& plans);

/// Makes stores to bytes that several threads have elements of such that the last one writes each.
void ShareBytes(KernelPlan& plan, PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_WHOLE_BYTES_H_
