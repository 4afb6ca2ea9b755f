// What a module that Python loads cannot take from Debian's archives of Abseil: their thread-local
// variables are addressed as those of a program, and the linker refuses that. They belong to two
// services that nothing here uses, but that Abseil's other code can reach: the numbers of threads,
// for its locks, and samples of its long strings (cords), for statistics. Defined here, they keep
// the members of the archives out that have them; all else of Abseil is linked into the module, so
// that no library lies beside it.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <thread>

#include "absl/base/config.h"
#include "absl/base/internal/sysinfo.h"
#include "absl/strings/internal/cordz_functions.h"

// NOLINTBEGIN(readability-identifier-naming): Abseil's names.
namespace absl {
ABSL_NAMESPACE_BEGIN

namespace base_internal {

pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }
pid_t GetCachedTID() { return GetTID(); }
int NumCPUs() { return static_cast<int>(std::thread::hardware_concurrency()); }
// Of a clock that Abseil does not use unless it is built to.
double NominalCPUFrequency() { return 1.0; }

}  // namespace base_internal

#ifdef ABSL_INTERNAL_CORDZ_ENABLED
namespace cord_internal {

ABSL_CONST_INIT thread_local int64_t cordz_next_sample = std::numeric_limits<int64_t>::max();

// No cord is sampled.
bool cordz_should_profile_slow() {
  cordz_next_sample = std::numeric_limits<int64_t>::max();
  return false;
}

}  // namespace cord_internal
#endif

ABSL_NAMESPACE_END
}  // namespace absl
// NOLINTEND(readability-identifier-naming)
