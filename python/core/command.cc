// The command line, for the process and for single answers.
#include "python/core/bindings.h"
#include "python/core/long_work.h"
#include "tools/environment.h"
#include "tools/program.h"
#include "tools/version.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

namespace {

std::vector<const char*> PointersTo(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers = {"hlo-indexing"};
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return pointers;
}

nb::bytes BytesOf(const std::string& text) { return nb::bytes(text.data(), text.size()); }

int Main(const std::vector<std::string>& arguments) {
  const nb::gil_scoped_release release;
  return static_cast<int>(tools::RunProgram(PointersTo(arguments)));
}

nb::tuple Run(const std::vector<std::string>& arguments,
              const std::map<std::string, nb::bytes>& texts, nb::object progress) {
  LongWork work(std::move(progress));
  std::string messages;
  std::string output;
  llvm::raw_string_ostream messages_stream(messages);
  llvm::raw_string_ostream output_stream(output);
  tools::Environment environment;
  environment.messages = &messages_stream;
  environment.stop = [&] { return work.MustStop(); };
  if (work.has_progress()) {
    environment.progress = [&](const std::string& what, int64_t done, int64_t total) {
      work.Report(what, done, total);
    };
  }
  for (const auto& [name, text] : texts) {
    environment.texts[name] = std::make_shared<const std::string>(text.c_str(), text.size());
  }
  tools::ExitCode status = tools::ExitCode::kFine;
  {
    const nb::gil_scoped_release release;
    const tools::ScopedEnvironment scope(environment);
    status = tools::RunSubcommand(PointersTo(arguments), output_stream);
  }
  work.RaiseIfStopped();
  return nb::make_tuple(static_cast<int>(status), BytesOf(output), BytesOf(messages));
}

}  // namespace

void BindCommands(nb::module_& module) {
  module.attr("version") = tools::ToolVersion().str();
  module.def("main", &Main, "arguments"_a,
             "Runs the command line on the files of the process; its exit status.");
  module.def("run", &Run, "arguments"_a, "texts"_a, "progress"_a.none(),
             "Runs a subcommand; its exit status, output and messages. `texts` are the contents of "
             "files by name.");
}

}  // namespace hlo_indexing::python
