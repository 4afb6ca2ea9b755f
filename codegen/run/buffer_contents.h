// Arrays as the bytes of a buffer: in the layout of their shape, tiled and packed, and back.
//
// Example: f32[2,3]{0,1} {{1, 2, 3}, {4, 5, 6}} -> the floats 1 4 2 5 3 6
#ifndef HLO_INDEXING_CODEGEN_RUN_BUFFER_CONTENTS_H_
#define HLO_INDEXING_CODEGEN_RUN_BUFFER_CONTENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/interpreter/value.h"
#include "hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::run {

/// How many bytes the buffer of an array has, padding included. kUnimplemented for layouts that are
/// not dense.
absl::StatusOr<int64_t> BufferBytes(const hlo::Shape& shape);

/// The contents of the buffer; padding is 0. In the layout of a shape with the same dimensions, if
/// one is given, else of the array's own.
absl::StatusOr<std::vector<uint8_t>> BufferOf(const hlo::ArrayValue& array);
absl::StatusOr<std::vector<uint8_t>> BufferOf(const hlo::ArrayValue& array,
                                              const hlo::Shape& shape);

/// The array that a buffer of BufferBytes holds.
absl::StatusOr<std::shared_ptr<const hlo::ArrayValue>> ArrayOf(const hlo::Shape& shape,
                                                               llvm::ArrayRef<uint8_t> buffer);

}  // namespace hlo_indexing::run

#endif  // HLO_INDEXING_CODEGEN_RUN_BUFFER_CONTENTS_H_
