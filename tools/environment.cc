#include "tools/environment.h"

namespace hlo_indexing::tools {
namespace {

thread_local const Environment* current = nullptr;

}  // namespace

const Environment* CurrentEnvironment() { return current; }

ScopedEnvironment::ScopedEnvironment(const Environment& environment) : previous_(current) {
  current = &environment;
}

ScopedEnvironment::~ScopedEnvironment() { current = previous_; }

llvm::raw_ostream& Messages() {
  return current == nullptr || current->messages == nullptr ? llvm::errs() : *current->messages;
}

std::shared_ptr<const std::string> GivenText(const std::string& file) {
  if (current == nullptr) return nullptr;
  const auto found = current->texts.find(file);
  return found == current->texts.end() ? nullptr : found->second;
}

}  // namespace hlo_indexing::tools
