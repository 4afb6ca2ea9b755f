// NumPy's array files, format 1.0 to 3.0 in, 1.0 out.
#ifndef HLO_INDEXING_HLO_INTERPRETER_NPY_H_
#define HLO_INDEXING_HLO_INTERPRETER_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hlo/interpreter/value.h"
#include "hlo/shape.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// The elements of a .npy file as bytes of a Literal of the shape: row-major, little endian,
/// whatever order the file has. Its dimensions must be the shape's. Its type must be the one that
/// NumpyType gives; integers of another width are taken if every value fits, for types that
/// NumPy lacks.
absl::StatusOr<std::vector<uint8_t>> ReadNpy(llvm::StringRef contents, const Shape& shape);

/// What the header of a file says of its array.
struct NpyHeader {
  /// As NumPy writes a type. Example: "<f4"
  std::string type;
  bool is_fortran_order = false;
  std::vector<int64_t> sizes;
};

/// The header of a file, which is cut off: `contents` keeps the elements.
absl::StatusOr<NpyHeader> SplitNpyHeader(llvm::StringRef& contents);

/// Whether elements are as many bytes as the header of their file says, and of a type that has a
/// width.
absl::Status CheckNpyElements(const NpyHeader& header, llvm::StringRef elements);

/// The file of an array with this header. Its elements are in the order that the header says.
std::string WriteNpy(const NpyHeader& header, llvm::StringRef elements);

/// The file of an array.
std::string WriteNpy(const ArrayValue& array);

/// The type that an array has in a file, as NumPy writes it: its own if NumPy has it. Others are
/// written as unsigned integers that hold the bits (bf16: <u2; float8, f4e2m1fn: |u1), or, for
/// integers of less than a byte, as a byte of the same sign.
/// Example: kF32 -> "<f4", kS4 -> "|i1", kBF16 -> "<u2"
std::string NumpyType(ElementType type);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_NPY_H_
