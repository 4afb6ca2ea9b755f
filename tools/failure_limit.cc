#include "tools/failure_limit.h"

#include <cmath>
#include <cstddef>
#include <iterator>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "support/diagnostics.h"
#include "support/real_number.h"
#include "support/to_double.h"
#include "tools/quantity.h"

namespace hlo_indexing::tools {
namespace {

using explain::KernelReport;

std::string Short(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", number);
  return text;
}

}  // namespace

constexpr FailureLimit::NamedMetric FailureLimit::kMetrics[] = {
    {"efficiency", [](const KernelReport& report) { return report.totals.Efficiency(); }},
    {"moved_bytes",
     [](const KernelReport& report) { return support::ToDouble(report.totals.moved_bytes()); }},
    {"wasted_bytes",
     [](const KernelReport& report) { return support::ToDouble(report.totals.wasted_bytes()); }},
    {"time_us", [](const KernelReport& report) { return report.time.us(); }},
    {"bandwidth", [](const KernelReport& report) { return report.bandwidth_share; }}};

std::optional<FailureLimit> FailureLimit::Parse(llvm::StringRef text, std::string& error) {
  const size_t place = text.find_first_of("<>");
  FailureLimit limit;
  const llvm::StringRef name = text.take_front(place).trim();
  llvm::SmallVector<llvm::StringRef, 5> names;
  for (const NamedMetric& metric : kMetrics) {
    names.push_back(metric.name);
    if (metric.name == name) limit.metric_ = &metric;
  }
  if (place == llvm::StringRef::npos || limit.metric_ == nullptr) {
    error =
        "--fail-on needs efficiency, moved_bytes, wasted_bytes, time_us or bandwidth, then < or "
        "> and a number, not '" +
        support::Quotable(text) + "'";
    if (limit.metric_ == nullptr) error += support::DidYouMean(name, names);
    return std::nullopt;
  }
  limit.is_lower_limit_ = text[place] == '<';
  const llvm::StringRef number = text.drop_front(place + 1).trim();
  const std::optional<double> value = support::ParseDouble(number);
  if (!value || !std::isfinite(*value)) {
    error = "--fail-on='" + support::Quotable(text) + "': '" + support::Quotable(number) +
            "' is no number";
    return std::nullopt;
  }
  limit.limit_ = *value;
  return limit;
}

bool FailureLimit::IsMetBy(const KernelReport& report) const {
  const double value = metric_->value(report);
  return is_lower_limit_ ? value < limit_ : value > limit_;
}

std::string FailureLimit::Describe(const KernelReport& report) const {
  return metric_->name.str() + " is " + Short(metric_->value(report)) +
         (is_lower_limit_ ? ", below " : ", above ") + Short(limit_);
}

}  // namespace hlo_indexing::tools
