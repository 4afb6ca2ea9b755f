// Long work without the GIL: Ctrl-C ends it, and a function of Python is told how far it is.
#ifndef HLO_INDEXING_PYTHON_CORE_LONG_WORK_H_
#define HLO_INDEXING_PYTHON_CORE_LONG_WORK_H_

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace hlo_indexing::python {

/// Made with the GIL, asked without it, by the thread that made it:
///
///   LongWork work(progress);
///   {
///     const nb::gil_scoped_release release;
///     while (!work.MustStop()) ...;
///   }
///   work.RaiseIfStopped();
class LongWork {
 public:
  /// `progress` is called with (what, done, total), or is None.
  explicit LongWork(nanobind::object progress) : progress_(std::move(progress)) {}

  bool has_progress() const { return !progress_.is_none(); }

  /// Whether a signal handler of Python, or `progress`, has raised an exception. Looks ten times a
  /// second.
  bool MustStop();
  /// Looks as often.
  void Report(const std::string& what, int64_t done, int64_t total);
  /// Raises that exception. Needs the GIL.
  void RaiseIfStopped() const;

 private:
  using Clock = std::chrono::steady_clock;

  nanobind::object progress_;
  bool is_stopped_ = false;
  Clock::time_point next_look_ = Clock::now();
  Clock::time_point next_report_ = Clock::now();
};

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_LONG_WORK_H_
