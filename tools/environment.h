// What a run of a subcommand talks to besides its output: the process, or whoever runs the
// subcommand inside of a larger program.
//
//   Environment environment;
//   environment.messages = &text;                        // a raw_string_ostream
//   environment.texts["m.hlo"] = module_text;            // what the file of that name contains
//   environment.stop = [&] { return is_cancelled; };
//   const ScopedEnvironment scope(environment);
//   const ExitCode status = RunSubcommand({"explain", "--format=json", "m.hlo"}, out);
#ifndef HLO_INDEXING_TOOLS_ENVIRONMENT_H_
#define HLO_INDEXING_TOOLS_ENVIRONMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

struct Environment {
  /// Where messages go; null: standard error.
  llvm::raw_ostream* messages = nullptr;
  /// Whether to end the work; empty: SIGINT asks for it.
  std::function<bool()> stop = nullptr;
  /// Told now and then how far the work is; empty: a line on a terminal says it.
  std::function<void(const std::string& what, int64_t done, int64_t total)> progress = nullptr;
  /// Told now and then how many bytes of a text have been parsed; empty: nobody.
  std::function<void(size_t done, size_t total)> parsing_progress = nullptr;
  /// The contents of files that need not exist, by name.
  std::map<std::string, std::shared_ptr<const std::string>> texts;
};

/// The environment of this thread; null: the process.
const Environment* CurrentEnvironment();

/// Makes an environment that of this thread for as long as it lives.
class ScopedEnvironment {
 public:
  /// `environment` must outlive this.
  explicit ScopedEnvironment(const Environment& environment);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  const Environment* previous_;
};

/// Where messages go.
llvm::raw_ostream& Messages();
/// The contents that the environment gives for the file of that name, or null.
std::shared_ptr<const std::string> GivenText(const std::string& file);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_ENVIRONMENT_H_
