// Runs a few instructions on one warp, whose lanes have a record of global memory each.
//
// All that the kernel needs besides are loads, stores and the thread's number.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_ONE_WARP_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_ONE_WARP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/module.h"
#include "support/status_macros.h"
#include "tests/codegen/ptx/test_device.h"

namespace hlo_indexing::ptx {

inline constexpr size_t kRecordBytes = 256;

/// The records of 32 lanes.
struct Records {
  std::vector<std::byte> bytes = std::vector<std::byte>(32 * kRecordBytes);

  template <typename T>
  T Get(size_t lane, size_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + lane * kRecordBytes + offset, sizeof(T));
    return value;
  }
  template <typename T>
  void Set(size_t lane, size_t offset, T value) {
    std::memcpy(bytes.data() + lane * kRecordBytes + offset, &value, sizeof(T));
  }
};

/// Executes `body` with %rd1 = address of the lane's record. Registers: %p<16>, %h<32> (16 bits),
/// %r<64>, %rd<64>, %q<8> (128 bits). 4096 bytes of shared memory at address 0, called tile.
/// The findings' messages are added to `findings`.
inline absl::Status RunWarp(std::string_view body, Records& records,
                            std::vector<std::string>* findings = nullptr,
                            LaunchOptions options = {}, std::string_view target = "sm_100a") {
  std::string text = ".version 9.0\n.target " + std::string(target) +
                     "\n.address_size 64\n"
                     ".visible .entry k(.param .u64 p) {\n"
                     ".shared .align 128 .b8 tile[4096];\n"
                     ".reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<64>; .reg .b64 %rd<64>;\n"
                     ".reg .b128 %q<8>;\n"
                     "ld.param.u64 %rd0, [p];\n"
                     "mov.u32 %r0, %tid.x;\nmad.wide.u32 %rd1, %r0, 256, %rd0;\n" +
                     std::string(body) + "\nret;\n}\n";
  HLO_INDEXING_ASSIGN_OR_RETURN(const Module module, Module::Parse(std::move(text), "test.ptx"));
  TestDevice device;
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t data,
                                device.Allocate(records.bytes.size(), "records"));
  HLO_INDEXING_RETURN_IF_ERROR(device.Write(data, records.bytes.data(), records.bytes.size()));
  if (options.block[0] == 1) options.block = {32, 1, 1};
  HLO_INDEXING_ASSIGN_OR_RETURN(const LaunchResult result,
                                device.Launch(module, "k", {Argument::Of(data)}, options));
  HLO_INDEXING_RETURN_IF_ERROR(result.status);
  if (findings != nullptr) {
    for (const Finding& finding : result.findings) findings->push_back(finding.ToString());
  } else if (!result.findings.empty()) {
    return absl::InternalError(result.findings.front().ToString());
  }
  return device.Read(data, records.bytes.data(), records.bytes.size());
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_ONE_WARP_H_
