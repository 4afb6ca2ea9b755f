#include "tools/maps_summary.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"
#include "tools/map_json.h"
#include "tools/terminal.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::Exactness;
using indexing_analysis::ExactnessName;
using indexing_analysis::MapDirection;
using indexing_analysis::OperandArrays;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::TraceStep;
using llvm::raw_ostream;

// Of the instructions of one opcode. What is exact, superset, unknown and independent are pairs of
// an output array and an operand array.
struct Counts {
  int64_t instructions = 0;
  int64_t exact = 0;
  int64_t superset = 0;
  int64_t unknown = 0;
  int64_t independent = 0;
  int64_t maps = 0;

  Counts& operator+=(const Counts& other) {
    instructions += other.instructions;
    exact += other.exact;
    superset += other.superset;
    unknown += other.unknown;
    independent += other.independent;
    maps += other.maps;
    return *this;
  }
};

// A reason with the pairs that it is given for and the first instruction of these.
struct Reason {
  Exactness exactness = Exactness::kUnknown;
  std::string text;
  int64_t pairs = 0;
  std::string instruction;
};

using OpcodeCounts = std::pair<std::string, Counts>;

// Counts; what is written is up to the derived classes.
class SummaryRenderer : public MapsRenderer {
 public:
  void BeginFile(llvm::StringRef file) override {
    file_ = file;
    counts_.clear();
    reasons_.clear();
  }
  void BeginModule(const Module& /*module*/) override {}
  void BeginComputation(const Computation& /*computation*/) override {}
  void BeginInstruction(const Instruction& instruction, const OperandArrays& operands) override {
    instruction_ = &instruction;
    num_operands_ = operands.size();
    of_opcode_ = &counts_[hlo::OpcodeName(instruction.opcode()).str()];
    ++of_opcode_->instructions;
  }
  void Trace(int64_t /*output*/, llvm::ArrayRef<TraceStep> /*steps*/) override {}
  void Output(int64_t /*output*/, MapDirection /*direction*/,
              const OutputIndexing& indexing) override {
    if (indexing.IsUnknown()) {
      Add(Exactness::kUnknown, indexing.unknown_reason(), num_operands_);
      return;
    }
    const llvm::ArrayRef<OperandIndexing> operands = indexing.operands();
    of_opcode_->independent += num_operands_ - static_cast<int64_t>(operands.size());
    for (const OperandIndexing& operand : operands) {
      Add(operand.exactness(), operand.reason(), 1);
      of_opcode_->maps += static_cast<int64_t>(operand.maps().size());
    }
  }
  void EndFile() override { Write(); }

 protected:
  virtual void Write() = 0;

  llvm::StringRef file() const { return file_; }
  // By falling number of instructions.
  std::vector<OpcodeCounts> CountsByOpcode() const {
    std::vector<OpcodeCounts> counts(counts_.begin(), counts_.end());
    std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second.instructions > b.second.instructions;
    });
    return counts;
  }
  // By falling number of pairs, supersets first.
  std::vector<Reason> Reasons() const {
    std::vector<Reason> reasons;
    for (const auto& [key, reason] : reasons_) reasons.push_back(reason);
    std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
      return std::pair(a.exactness, -a.pairs) < std::pair(b.exactness, -b.pairs);
    });
    return reasons;
  }

 private:
  void Add(Exactness exactness, const std::string& text, int64_t pairs) {
    if (exactness == Exactness::kExact) {
      of_opcode_->exact += pairs;
      return;
    }
    (exactness == Exactness::kSuperset ? of_opcode_->superset : of_opcode_->unknown) += pairs;
    if (pairs == 0) return;
    Reason& reason = reasons_[{exactness, text}];
    if (reason.pairs == 0) reason = {exactness, text, 0, instruction_->name().str()};
    reason.pairs += pairs;
  }

  llvm::StringRef file_;
  const Instruction* instruction_ = nullptr;
  int64_t num_operands_ = 0;
  std::map<std::string, Counts> counts_;
  Counts* of_opcode_ = nullptr;
  std::map<std::pair<Exactness, std::string>, Reason> reasons_;
};

class TextSummary : public SummaryRenderer {
 public:
  TextSummary(std::optional<size_t> columns, raw_ostream& out) : columns_(columns), out_(out) {}

 private:
  static void WriteRow(llvm::StringRef name, const Counts& counts, raw_ostream& out) {
    out << llvm::format("%-28s", name.str().c_str());
    for (const int64_t count : {counts.instructions, counts.exact, counts.superset, counts.unknown,
                                counts.independent, counts.maps}) {
      out << llvm::format(" %12" PRId64, count);
    }
    out << '\n';
  }

  void Write() override {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "// " << support::ForTerminal(file()) << '\n'
        << llvm::format("%-28s", "opcode")
        << " instructions        exact     superset      unknown  independent         maps\n";
    Counts all;
    for (const auto& [opcode, counts] : CountsByOpcode()) {
      WriteRow(opcode, counts, out);
      all += counts;
    }
    WriteRow("all", all, out);
    for (const Reason& reason : Reasons()) {
      out << ExactnessName(reason.exactness) << llvm::format(" %8" PRId64 "  ", reason.pairs)
          << reason.text << " (first: " << reason.instruction << ")\n";
    }
    out_ << CutLines(text, columns_);
  }

  std::optional<size_t> columns_;
  raw_ostream& out_;
};

class JsonSummary : public SummaryRenderer {
 public:
  explicit JsonSummary(raw_ostream& out) : out_(out) {}

 private:
  void Write() override {
    WriteHeader(file(), out_);
    for (const auto& [opcode, counts] : CountsByOpcode()) {
      llvm::json::OStream json(out_);
      json.object([&] {
        json.attribute("kind", "summary");
        json.attribute("file", llvm::json::fixUTF8(file()));
        json.attribute("opcode", opcode);
        json.attribute("instructions", counts.instructions);
        json.attribute("exact", counts.exact);
        json.attribute("superset", counts.superset);
        json.attribute("unknown", counts.unknown);
        json.attribute("independent", counts.independent);
        json.attribute("maps", counts.maps);
      });
      out_ << '\n';
    }
    for (const Reason& reason : Reasons()) {
      llvm::json::OStream json(out_);
      json.object([&] {
        json.attribute("kind", "summary_reason");
        json.attribute("file", llvm::json::fixUTF8(file()));
        json.attribute("exactness", ExactnessName(reason.exactness));
        json.attribute("reason", llvm::json::fixUTF8(reason.text));
        json.attribute("pairs", reason.pairs);
        json.attribute("instruction", llvm::json::fixUTF8(reason.instruction));
      });
      out_ << '\n';
    }
  }

  raw_ostream& out_;
};

}  // namespace

std::unique_ptr<MapsRenderer> MakeTextSummary(std::optional<size_t> columns, raw_ostream& out) {
  return std::make_unique<TextSummary>(columns, out);
}

std::unique_ptr<MapsRenderer> MakeJsonSummary(raw_ostream& out) {
  return std::make_unique<JsonSummary>(out);
}

}  // namespace hlo_indexing::tools
