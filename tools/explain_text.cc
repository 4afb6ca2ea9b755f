#include "tools/explain_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "support/to_double.h"
#include "tools/instruction_head.h"
#include "tools/quantity.h"

namespace hlo_indexing::tools {
namespace {

using explain::AccessReport;
using explain::KernelReport;
using explain::WasteReason;
using indexing_analysis::Coalescing;
using indexing_analysis::Image;
using llvm::DynamicAPInt;
using llvm::raw_ostream;

constexpr int64_t kSectorBytes = 32;
constexpr int64_t kWidestVectorBytes = 16;
constexpr double kPoor = 0.5;
constexpr double kGood = 0.9;

// Sectors per request; of a range from the best to the worst case.
std::string PerRequest(const Image::Count& sectors, const Image::Count& requests) {
  const auto ratio = [](const DynamicAPInt& a, const DynamicAPInt& b) {
    return b == 0 ? std::string("0") : OneDecimal(support::RatioOf(a, b));
  };
  std::string worst = ratio(sectors.upper, requests.upper);
  if (sectors.IsExact() && requests.IsExact()) return worst;
  const std::string best = ratio(sectors.lower, requests.lower);
  return best == worst ? worst : best + " to " + worst;
}

// How often: one digit behind the point if it is small.
std::string Times(double number) {
  constexpr double kMany = 100;
  constexpr double kTooManyDigits = 1e15;
  if (number < kMany) return OneDecimal(number);
  return number < kTooManyDigits ? WithCommas(static_cast<int64_t>(number)) : Scientific(number);
}

// Red if it is poor, green if it is good, on a terminal.
void WriteShare(double share, unsigned width, raw_ostream& out) {
  raw_ostream::Colors color = raw_ostream::YELLOW;
  if (share < kPoor) color = raw_ostream::RED;
  if (share >= kGood) color = raw_ostream::GREEN;
  llvm::WithColor(out, color) << llvm::right_justify(Percent(share), width);
}

std::string BytesApart(int64_t bits) {
  const int64_t distance = bits < 0 ? -bits : bits;
  if (distance % 8 != 0) return Counted(distance, "bit");
  return Counted(distance / 8, "byte");
}

// Whether the sectors of an array are touched twice or more on average.
bool IsFetchedAgain(const Coalescing& coalescing) {
  return coalescing.sectors.lower > 0 &&
         coalescing.distinct_sectors.upper * 2 <= coalescing.sectors.lower;
}

// Example: "16.8 MB by 16-byte vectors,"
std::string TrafficText(const Coalescing& coalescing) {
  std::string text = Bytes(coalescing.sectors.upper * kSectorBytes);
  // Elements of less than a byte may be a part of one together.
  if (coalescing.vector_elements > 1 && coalescing.vector_bytes > 0) {
    text += " by " + std::to_string(coalescing.vector_bytes) + "-byte vectors";
  }
  return IsFetchedAgain(coalescing) ? text + "," : text;
}

// Example: "4.19 MB instead of 5.24 MB", "4.19 MB as now", "at most 1 us instead of at least 2 us"
std::string Instead(const std::string& then, const std::string& now, bool is_exact) {
  if (!is_exact) return "at most " + then + " instead of at least " + now;
  return then == now ? now + " as now" : then + " instead of " + now;
}

// Example: "transpose with hero %t instead of loop"
std::string ChangeText(const plan::KernelPlan& plan, const explain::PlanCure& cure) {
  switch (cure.change) {
    case explain::PlanChange::kResultLayout: {
      plan::KernelAccess access;
      access.kind = plan::AccessKind::kStore;
      access.output = cure.output;
      return NameOfArray(plan, access) + " in layout " + LayoutText(cure.minor_to_major);
    }
    case explain::PlanChange::kHero: {
      const std::string now = " instead of " + plan.variant;
      if (cure.at == nullptr) return cure.variant + now;
      return cure.variant + " with hero %" + cure.at->name().str() + now;
    }
    case explain::PlanChange::kSplit:
      return "two kernels, split after %" + cure.at->name().str() + " with " +
             Bytes(DynamicAPInt(cure.array_bytes)) + " between them";
    case explain::PlanChange::kVector:
      return Counted(cure.vector_elements, "element") + " of a thread at a time";
  }
  return "";
}

// A line that goes on below where it would be wider than most terminals.
class WrappedLine {
 public:
  explicit WrappedLine(size_t indent, raw_ostream& out) : indent_(indent), out_(out) {
    out_.indent(static_cast<unsigned>(indent_));
  }
  ~WrappedLine() { out_ << '\n'; }
  WrappedLine(const WrappedLine&) = delete;
  WrappedLine& operator=(const WrappedLine&) = delete;

  /// Text that is not broken.
  WrappedLine& Add(llvm::StringRef text) {
    Place(text.size());
    // What goes on below does not begin with the space that separated it.
    out_ << (is_continued_ ? text.ltrim() : text);
    is_continued_ = false;
    return *this;
  }
  WrappedLine& AddShare(double share, unsigned width) {
    Place(std::max<size_t>(width, Percent(share).size()));
    WriteShare(share, width, out_);
    is_continued_ = false;
    return *this;
  }

 private:
  static constexpr size_t kWidth = 100;
  static constexpr size_t kContinuation = 6;

  void Place(size_t size) {
    if (column_ != 0 && indent_ + column_ + size > kWidth) {
      out_ << '\n';
      indent_ = kContinuation;
      out_.indent(kContinuation);
      column_ = 0;
      is_continued_ = true;
    }
    column_ += size;
  }

  size_t indent_;
  raw_ostream& out_;
  size_t column_ = 0;
  bool is_continued_ = false;
};

}  // namespace

std::string NameOfArray(const plan::KernelPlan& plan, const plan::KernelAccess& access) {
  if (access.scratch.has_value()) {
    if (*access.scratch == plan.scratch_arrays.size()) return "counters";
    return "part of %" + plan.scratch_arrays[*access.scratch].hero->name().str();
  }
  if (access.kind != plan::AccessKind::kLoad) {
    int64_t outputs = 0;
    for (const plan::PlannedRoot& root : plan.roots) outputs += root.num_outputs;
    return outputs > 1 ? "output " + std::to_string(access.output) : "output";
  }
  if (access.constant != nullptr) return "%" + access.constant->name().str();
  const hlo::Instruction& input = *plan.Inputs()[static_cast<size_t>(access.operand)];
  std::string name = "%" + input.name().str();
  if (input.shape().num_array_leaves() > 1) name += " array " + std::to_string(access.leaf);
  return name;
}

llvm::StringRef MetricOperation(plan::AccessKind kind) {
  switch (kind) {
    case plan::AccessKind::kLoad:
      return "mem_global_op_ld.sum";
    case plan::AccessKind::kStore:
      return "mem_global_op_st.sum";
    case plan::AccessKind::kAtomic:
      return "mem_global_op_red.sum";
  }
  return "";
}

std::string LayoutText(llvm::ArrayRef<int64_t> minor_to_major) {
  std::string text = "{";
  for (const int64_t dimension : minor_to_major) {
    if (text.size() > 1) text += ",";
    text += std::to_string(dimension);
  }
  return text + "}";
}

ExplainText::ExplainText(const hlo::Module& module, ExplainTextOptions options)
    : module_(module), options_(std::move(options)) {}

std::string ExplainText::Place(const hlo::Instruction& instruction) const {
  const support::SourcePosition position = Locate(instruction);
  return module_.file_name().str() + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

void ExplainText::WriteHead(const plan::KernelPlan& plan, raw_ostream& out) const {
  {
    std::string head;
    llvm::raw_string_ostream stream(head);
    WriteInstructionHead(*plan.instruction, stream);
    llvm::WithColor(out, raw_ostream::SAVEDCOLOR, /*Bold=*/true) << head;
  }
  out << '\n';
  {
    WrappedLine line(2, out);
    line.Add(Place(*plan.instruction) + ";")
        .Add(" " + (plan.variant.empty() ? plan::EmitterName(plan.emitter).str() : plan.variant) +
             ",")
        .Add(" " + Counted(plan.launch.num_blocks(), "block") + " of " +
             Counted(plan.launch.threads_per_block(), "thread") +
             (plan.shared_tiles.empty() ? "" : ","));
    if (!plan.shared_tiles.empty()) {
      line.Add(" " + Bytes(DynamicAPInt(plan.shared_memory_bytes())) + " shared");
    }
  }
  const std::string refused = plan.launch.WhyRefused();
  if (!refused.empty()) out << "  refused: " << refused << '\n';
}

void ExplainText::WriteTotals(const KernelReport& report, raw_ostream& out) const {
  const explain::TrafficTotals& totals = report.totals;
  {
    WrappedLine line(2, out);
    line.Add((totals.IsUpperEnd() ? "moves up to " : "moves ") + Bytes(totals.moved_bytes()) + ",")
        .Add(" needs " + Bytes(totals.needed_bytes()) + " (")
        .AddShare(totals.Efficiency(), 0)
        .Add(");")
        .Add(" estimate: " + Microseconds(report.time.us()) + " on " + options_.device + ",")
        .Add(" bound by " + std::string(report.time.bound()) + ",")
        .Add(" " + Percent(report.bandwidth_share) + " of DRAM bandwidth");
  }
  if (totals.unknown_accesses != 0) {
    out << "  not counted: " << WithCommas(totals.unknown_accesses)
        << " of its accesses, of which nobody knows the elements\n";
  }
}

void ExplainText::WriteBefore(const KernelReport& report, const Traffic& before,
                              raw_ostream& out) const {
  const DynamicAPInt moved = report.totals.moved_bytes();
  if (moved == before.moved_bytes) {
    out << "  as before: moved as many bytes";
  } else if (moved < before.moved_bytes) {
    out << "  better: moved " << Bytes(before.moved_bytes) << " before";
  } else {
    out << "  worse: moved " << Bytes(before.moved_bytes) << " before";
  }
  out << ", " << Microseconds(before.us) << " by the same estimate\n";
}

void ExplainText::WriteAccesses(const plan::KernelPlan& plan, llvm::ArrayRef<AccessReport> accesses,
                                raw_ostream& out) const {
  constexpr size_t kMostWidth = 24;
  size_t width = 0;
  for (const AccessReport& report : accesses) {
    width = std::max(width, NameOfArray(plan, report.access).size());
  }
  for (const AccessReport& report : accesses) {
    WriteAccess(plan, report, std::min(width, kMostWidth), out);
  }
}

void ExplainText::WriteAccess(const plan::KernelPlan& plan, const AccessReport& report,
                              size_t name_width, raw_ostream& out) const {
  const plan::KernelAccess& access = report.access;
  std::string head = "    ";
  llvm::raw_string_ostream(head) << llvm::left_justify(plan::AccessKindName(access.kind), 7)
                                 << llvm::left_justify(NameOfArray(plan, access),
                                                       static_cast<unsigned>(name_width))
                                 << "  ";
  if (!report.coalescing.has_value()) {
    out << head << "unknown: " << access.reason << '\n';
    return;
  }
  const Coalescing& coalescing = *report.coalescing;
  {
    WrappedLine line(0, out);
    line.Add(head)
        .AddShare(coalescing.Efficiency(), 4)
        .Add("  " + PerRequest(coalescing.sectors, coalescing.requests) + " sectors per request,")
        .Add(" ideal " + PerRequest(coalescing.ideal_sectors, coalescing.requests) + ";")
        .Add(" " + TrafficText(coalescing));
    if (IsFetchedAgain(coalescing)) {
      line.Add(
          (coalescing.distinct_sectors.IsExact() ? " each sector " : " each sector at least ") +
          Times(support::RatioOf(coalescing.sectors.upper,
                                 std::max(DynamicAPInt(1), coalescing.distinct_sectors.upper))) +
          " times");
    }
  }
  if (options_.has_metric_names) {
    const llvm::StringRef suffix = MetricOperation(access.kind);
    out << "      l1tex__t_requests_pipe_lsu_" << suffix << ' ' << Digits(coalescing.requests.upper)
        << "\n      l1tex__t_sectors_pipe_lsu_" << suffix << ' ' << Digits(coalescing.sectors.upper)
        << '\n';
  }
  WriteWaste(report, out);
  if (!report.IsTrafficExact()) out << "      not exact: " << report.reason() << '\n';
  if (options_.has_maps) {
    out << "      elements " << access.element.ToString() << "\n      positions "
        << access.access.position.ToString() << '\n';
  }
}

void ExplainText::WriteWaste(const AccessReport& report, raw_ostream& out) const {
  const explain::Waste& waste = report.waste;
  switch (waste.reason) {
    case WasteReason::kNone:
      return;
    case WasteReason::kNoVector:
      out << "      the " << Counted(waste.run_bytes, "byte") << " of a thread "
          << (waste.run_bytes == 1 ? "is " : "are ");
      if (report.coalescing->vector_bytes == kWidestVectorBytes) {
        out << waste.run_bytes / kWidestVectorBytes << " vectors: none is wider than "
            << kWidestVectorBytes << " bytes";
      } else {
        out << "no vector, which would have to be aligned and unconditional";
      }
      break;
    case WasteReason::kStride:
      out << "      neighbouring lanes (" << waste.variable << ") are "
          << BytesApart(*waste.stride_bits) << " apart";
      break;
    case WasteReason::kShortRuns:
      out << "      lanes (" << waste.variable << ") form runs of "
          << Counted(waste.run_bytes, "byte") << ", " << BytesApart(*waste.stride_bits) << " apart";
      break;
    case WasteReason::kAlignment:
      out << "      warps begin inside of a sector: rows are no multiple of " << kSectorBytes
          << " bytes";
      break;
    case WasteReason::kScattered:
      out << "      lanes (" << waste.variable << ") have no regular distance";
      break;
  }
  out << '\n';
  if (waste.origin != nullptr) {
    out << "      brought in by %" << waste.origin->name() << " at " << Place(*waste.origin)
        << '\n';
  }
}

void ExplainText::WriteCures(const KernelReport& report, const explain::PlanCures* changes,
                             raw_ostream& out) const {
  for (const explain::LayoutCure& cure : report.cures) {
    plan::KernelAccess access;
    access.operand = cure.operand;
    access.leaf = cure.leaf;
    WrappedLine line(4, out);
    line.Add("would help: " + NameOfArray(report.plan, access) + " in layout " +
             LayoutText(cure.minor_to_major) + ":")
        .Add(" " + Bytes(cure.sectors_then * kSectorBytes) + " instead of " +
             Bytes(cure.sectors_now * kSectorBytes) + ";")
        .Add(" a copy to it moves " + Bytes(DynamicAPInt(cure.copy_bytes)));
  }
  if (changes == nullptr) return;
  for (const explain::PlanCure& cure : changes->cures) {
    const bool is_exact = cure.then.is_exact && cure.now.is_exact;
    const bool is_layout = cure.change == explain::PlanChange::kResultLayout;
    WrappedLine line(4, out);
    line.Add("would help: " + ChangeText(report.plan, cure) + ":");
    if (cure.change == explain::PlanChange::kVector) {
      const auto requests = [](const explain::KernelFigures& figures) {
        return Times(support::RatioOf(figures.requests, DynamicAPInt(1)));
      };
      line.Add(" " + Instead(requests(cure.then) + " requests", requests(cure.now), is_exact) +
               ",");
    }
    line.Add(" " +
             Instead(Bytes(cure.then.moved_bytes()), Bytes(cure.now.moved_bytes()), is_exact) + ",")
        .Add(" " + Instead(Microseconds(cure.then.us), Microseconds(cure.now.us), is_exact) +
             (is_layout ? ";" : ""));
    if (is_layout) {
      line.Add(" a copy back moves " + Bytes(DynamicAPInt(cure.array_bytes)));
    }
  }
  if (changes->num_left_out != 0) {
    out << "    not tried, or not to the end: " << Counted(changes->num_left_out, "more change")
        << '\n';
  }
}

}  // namespace hlo_indexing::tools
