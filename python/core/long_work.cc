#include "python/core/long_work.h"

#include <nanobind/stl/string.h>

namespace hlo_indexing::python {

namespace nb = nanobind;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(100);

}  // namespace

bool LongWork::MustStop() {
  if (is_stopped_) return true;
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return false;
  next_look_ = now + kBetweenLooks;
  const nb::gil_scoped_acquire acquire;
  // The exception stays set until RaiseIfStopped.
  is_stopped_ = PyErr_CheckSignals() != 0;
  return is_stopped_;
}

void LongWork::Report(const std::string& what, int64_t done, int64_t total) {
  if (is_stopped_ || !has_progress()) return;
  const Clock::time_point now = Clock::now();
  if (now < next_report_ && done != total) return;
  next_report_ = now + kBetweenLooks;
  const nb::gil_scoped_acquire acquire;
  try {
    progress_(what, done, total);
  } catch (nb::python_error& error) {
    error.restore();
    is_stopped_ = true;
  }
}

void LongWork::RaiseIfStopped() const {
  if (is_stopped_) throw nb::python_error();
}

}  // namespace hlo_indexing::python
