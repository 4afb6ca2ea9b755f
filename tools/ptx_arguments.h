// The arguments of a kernel as the command line says them: numbers, and arrays in the virtual GPU's
// memory.
#ifndef HLO_INDEXING_TOOLS_PTX_ARGUMENTS_H_
#define HLO_INDEXING_TOOLS_PTX_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ptx/device.h"
#include "hlo/interpreter/npy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// An array that a kernel gets the address of.
struct KernelArray {
  /// Number of the argument.
  int argument = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  hlo::NpyHeader header;
  /// `inout`, `out` and `zeros`: shown or written when the kernel has ended.
  bool is_result = false;
};

struct KernelArguments {
  std::vector<ptx::Argument> values;
  std::vector<KernelArray> arrays;
};

/// Reads the arguments and puts the arrays into the device's memory:
///   in:FILE.npy  inout:FILE.npy     the elements of a file
///   out:f32[4,8]  zeros:f32[4,8]    room for a result: never written, or zeros
///   f32:2.5  u32:7  s64:-1  b16:0x3c00   a number (types of PTX with 8 to 64 bits)
///   null                            a null pointer
///   bytes:FILE                      the bytes of a structure
/// Errors name the argument; they are absl::StatusCode::kDataLoss where it is a file that is wrong.
absl::StatusOr<KernelArguments> MakeKernelArguments(llvm::ArrayRef<std::string> arguments,
                                                    uint64_t max_input_bytes, ptx::Device& device);

/// Up to `limit` of the elements as text, and how many more there are.
/// Example: "1 2.5 -3 ... (1021 more)"
std::string FirstElements(const hlo::NpyHeader& header, llvm::StringRef bytes, size_t limit);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_PTX_ARGUMENTS_H_
