// The CUDA driver, which is looked for when a program is to run: nothing of CUDA is needed to build
// this, nor to run what does not use it.
//
//   HLO_INDEXING_ASSIGN_OR_RETURN(const auto driver, cuda::Driver::Open());
//   HLO_INDEXING_ASSIGN_OR_RETURN(const cuda::Handle module, driver->LoadModule(ptx));
//   HLO_INDEXING_ASSIGN_OR_RETURN(const cuda::Handle kernel, driver->FindKernel(module, "saxpy"));
//   HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t x, driver->Allocate(4 * n));
//   HLO_INDEXING_RETURN_IF_ERROR(driver->Launch(kernel, {.grid = {n / 256}, .block = {256}},
//   {&x}));
#ifndef HLO_INDEXING_CODEGEN_CUDA_DRIVER_H_
#define HLO_INDEXING_CODEGEN_CUDA_DRIVER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hlo_indexing::cuda {

/// A module or kernel of the driver.
using Handle = void*;

struct LaunchShape {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned dynamic_shared_bytes = 0;
  /// All blocks run at the same time, and may wait for each other.
  bool is_cooperative = false;
};

/// A device with its primary context, which lives as long as one of these. All but Launch wait
/// until they are done; errors are kInternal, "the CUDA driver cannot ...: why".
class Driver {
 public:
  /// Of the library as dlopen finds it. kUnavailable, with the reason, if there is no driver or no
  /// such device.
  static absl::StatusOr<std::unique_ptr<Driver>> Open(const std::string& library = "libcuda.so.1",
                                                      int device = 0);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// The number in sm_90.
  int architecture() const { return architecture_; }

  /// PTX text, which the driver compiles, or a cubin. `what` is for messages, here and below. The
  /// error has what the compiler says.
  absl::StatusOr<Handle> LoadModule(const std::string& image, std::string_view what);
  void UnloadModule(Handle module);
  absl::StatusOr<Handle> FindKernel(Handle module, const std::string& name);

  /// At a multiple of 256 bytes.
  absl::StatusOr<uint64_t> Allocate(size_t bytes, std::string_view what);
  absl::Status Free(uint64_t address);
  absl::Status Write(uint64_t to, const void* from, size_t bytes);
  /// After all launches before it, whose errors come up here.
  absl::Status Read(uint64_t from, void* to, size_t bytes);
  /// From one place of the device to another one.
  absl::Status Copy(uint64_t from, uint64_t to, size_t bytes);

  /// `parameters` point to the values of the kernel's parameters. Does not wait for its end.
  absl::Status Launch(Handle kernel, const LaunchShape& shape,
                      const std::vector<const void*>& parameters, std::string_view what);

 private:
  struct Functions;
  Driver();
  absl::Status Check(int result, std::string_view what) const;

  std::unique_ptr<Functions> functions_;
  int device_ = 0;
  bool has_context_ = false;
  int architecture_ = 0;
};

}  // namespace hlo_indexing::cuda

#endif  // HLO_INDEXING_CODEGEN_CUDA_DRIVER_H_
