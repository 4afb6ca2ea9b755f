// The program: the choice of the subcommand, and what belongs to none.
#include "tools/program.h"

#include <mutex>
#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "support/diagnostics.h"
#include "tools/completion.h"
#include "tools/help.h"
#include "tools/man_page.h"
#include "tools/output_file.h"
#include "tools/report.h"
#include "tools/subcommand.h"
#include "tools/version.h"

namespace hlo_indexing::tools {
namespace {

bool IsHelp(llvm::StringRef argument) {
  return argument == "--help" || argument == "-help" || argument == "-h";
}

bool IsVersion(llvm::StringRef argument) {
  return argument == "--version" || argument == "-version";
}

ExitCode Print(llvm::function_ref<void(llvm::raw_ostream&)> write) {
  OutputFile output("-");
  if (!output.Open()) return ExitCode::kBadUsage;
  write(output.stream());
  return output.Close(ExitCode::kFine);
}

ExitCode PrintVersion() {
  return Print([](llvm::raw_ostream& out) {
    out << "hlo-indexing " << ToolVersion() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
}

ExitCode PrintHelp(const Subcommands& subcommands) {
  return Print([&](llvm::raw_ostream& out) { WriteHelp(subcommands, out); });
}

ExitCode PrintHelp(const Subcommand& subcommand) {
  return Print([&](llvm::raw_ostream& out) { WriteHelp(subcommand, out); });
}

// Null, after a message on standard error, if there is no subcommand of that name.
Subcommand* Find(const Subcommands& subcommands, llvm::StringRef name) {
  std::vector<llvm::StringRef> names = {"help"};
  for (const auto& subcommand : subcommands) {
    if (subcommand->help().name == name) return subcommand.get();
    names.push_back(subcommand->help().name);
  }
  const bool is_file = llvm::sys::fs::exists(name);
  ReportError("there is no subcommand '" + support::Quotable(name) + "'" +
              (is_file ? "; did you mean 'hlo-indexing maps " + support::Quotable(name) + "'?"
                       : support::DidYouMean(name, names)));
  return nullptr;
}

// `hlo-indexing help [SUBCOMMAND]`, or with --help
ExitCode Help(const Subcommands& subcommands, llvm::ArrayRef<const char*> arguments) {
  const bool is_of_all =
      arguments.empty() || IsHelp(arguments[0]) || llvm::StringRef(arguments[0]) == "help";
  if (is_of_all) return PrintHelp(subcommands);
  if (arguments.size() > 1) {
    ReportError("help takes one subcommand");
    return ExitCode::kBadUsage;
  }
  const Subcommand* const subcommand = Find(subcommands, arguments[0]);
  return subcommand == nullptr ? ExitCode::kBadUsage : PrintHelp(*subcommand);
}

// Options without a subcommand. What the installation is made with is not in the help.
ExitCode RunOption(const Subcommands& subcommands, llvm::StringRef option,
                   llvm::ArrayRef<const char*> arguments) {
  if (IsHelp(option)) return Help(subcommands, arguments);
  if (IsVersion(option) || (option.starts_with("--print-") && !arguments.empty())) {
    ReportError(support::Quotable(option) + " stands alone");
    return ExitCode::kBadUsage;
  }
  if (option == "--print-completion=bash") {
    return Print([&](llvm::raw_ostream& out) { WriteBashCompletion(subcommands, out); });
  }
  if (option == "--print-completion=zsh") {
    return Print([&](llvm::raw_ostream& out) { WriteZshCompletion(subcommands, out); });
  }
  if (option == "--print-man-page") {
    return Print([&](llvm::raw_ostream& out) { WriteManPage(subcommands, out); });
  }
  ReportError("there is no option '" + support::Quotable(option) + "' without a subcommand" +
              support::DidYouMean(option, {"--help", "--version"}) +
              "; options of a subcommand stand behind it");
  return ExitCode::kBadUsage;
}

ExitCode Run(Subcommand& subcommand, llvm::ArrayRef<const char*> command_line) {
  for (const llvm::StringRef argument : command_line.drop_front(2)) {
    if (argument == "--") break;
    if (IsHelp(argument)) return PrintHelp(subcommand);
    if (IsVersion(argument)) return PrintVersion();
  }
  if (!subcommand.Parse(command_line)) return ExitCode::kBadUsage;
  OutputFile output(subcommand.table().output());
  if (!output.Open()) return ExitCode::kBadUsage;
  const ExitCode status = subcommand.Run(output.stream());
  return output.Close(status);
}

// LLVM's parser of options knows all subcommands of the process.
std::mutex parser_mutex;

// As if there were no options but those of the subcommands that are made from now on.
void ForgetOptions() {
  // LLVM's libraries bring options of their own: the call makes them, so that they can be dropped.
  llvm::cl::getRegisteredOptions(llvm::cl::SubCommand::getTopLevel());
  llvm::cl::ResetCommandLineParser();
}

}  // namespace

ExitCode RunProgram(llvm::ArrayRef<const char*> command_line) {
  const llvm::StringRef first = command_line.size() < 2 ? "" : command_line[1];
  if (IsVersion(first) && command_line.size() == 2) return PrintVersion();
  SetUpColors();
  ForgetOptions();
  const Subcommands subcommands = MakeSubcommands();
  if (first.empty()) {
    PrintHelp(subcommands);
    return ExitCode::kBadUsage;
  }
  if (first == "help") return Help(subcommands, command_line.drop_front(2));
  if (first.starts_with("-")) return RunOption(subcommands, first, command_line.drop_front(2));
  Subcommand* const subcommand = Find(subcommands, first);
  if (subcommand == nullptr) return ExitCode::kBadUsage;
  return Run(*subcommand, command_line);
}

ExitCode RunSubcommand(llvm::ArrayRef<const char*> command_line, llvm::raw_ostream& out) {
  Subcommands subcommands;
  Subcommand* subcommand = nullptr;
  {
    const std::lock_guard<std::mutex> lock(parser_mutex);
    ForgetOptions();
    subcommands = MakeSubcommands();
    subcommand = Find(subcommands, command_line.size() < 2 ? "" : command_line[1]);
    const bool is_parsed = subcommand != nullptr && subcommand->Parse(command_line);
    for (const auto& made : subcommands) made->table().Leave();
    if (!is_parsed) return ExitCode::kBadUsage;
  }
  return subcommand->Run(out);
}
}  // namespace hlo_indexing::tools
