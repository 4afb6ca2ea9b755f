// A PTX module: what its kernels are called and take.
//
// Example:
//   HLO_INDEXING_ASSIGN_OR_RETURN(const ptx::Module module, ptx::Module::Parse(text, "saxpy.ptx"));
//   ptx::Device device;
//   HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t x, device.Allocate(4 * n, "x"));
//   HLO_INDEXING_RETURN_IF_ERROR(device.Write(x, values.data(), 4 * n));
//   ptx::LaunchOptions options;
//   options.grid = {n / 256, 1, 1};
//   options.block = {256, 1, 1};
//   HLO_INDEXING_ASSIGN_OR_RETURN(const ptx::LaunchResult result,
//                                 device.Launch(module, "saxpy", {ptx::Argument::Of(x)}, options));
//   if (!result.findings.empty()) std::cout << result.findings.front().ToString() << "\n";
#ifndef HLO_INDEXING_CODEGEN_PTX_MODULE_H_
#define HLO_INDEXING_CODEGEN_PTX_MODULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/liveness.h"
#include "codegen/ptx/syntax/module.h"
#include "codegen/ptx/syntax/parser.h"

namespace hlo_indexing::ptx {

/// What a kernel's text says of it.
struct KernelSummary {
  std::string_view name;
  struct Parameter {
    std::string_view name;
    Type type = Type::kB8;
    /// In the block of parameters.
    uint64_t offset = 0;
    uint64_t bytes = 0;
    /// `.ptr`: an address.
    bool is_pointer = false;
  };
  std::vector<Parameter> parameters;
  /// Declared registers of each width (1: predicates, 16, 32, 64, 128 bits).
  std::map<int, uint64_t> registers;
  /// The most that are live at once (syntax/liveness.h); nullopt where that is not known.
  std::optional<syntax::LiveRegisters> live_registers;
  /// Static shared memory that the kernel itself declares, and whether the module has dynamic one.
  uint64_t shared_bytes = 0;
  bool has_dynamic_shared = false;
  uint64_t local_bytes = 0;
  /// `.reqntid` (or `.maxntid`, where `is_required` is false); 0 where not given.
  std::array<uint32_t, 3> block = {0, 0, 0};
  bool is_block_required = false;
  /// Instructions by opcode (with the state space for memory instructions: "ld.global").
  std::map<std::string, uint64_t> instructions;
};

/// Owns its text. Copies share it.
class Module {
 public:
  /// Reads PTX text; `name` stands in messages. Errors have the place: `name:line:column: ...`.
  static absl::StatusOr<Module> Parse(std::string text, std::string name,
                                      const syntax::ParserLimits& limits = {});

  std::string_view text() const;
  std::string_view name() const;
  const syntax::Module& syntax() const;
  /// In the order of the text.
  std::vector<std::string_view> kernels() const;
  /// kNotFound, with the nearest names, if there is no kernel of this name. An empty name means the
  /// only kernel of the module.
  absl::StatusOr<uint32_t> FindKernel(std::string_view kernel) const;
  KernelSummary Summarize(uint32_t kernel) const;

 private:
  struct Contents;
  explicit Module(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const Contents> contents_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MODULE_H_
