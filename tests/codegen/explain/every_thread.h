// The sectors of an access by trying all threads of the grid, one by one.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_THREAD_H_
#define HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_THREAD_H_

#include <cstdint>
#include <optional>
#include <ostream>

#include "codegen/plan/accesses.h"

namespace hlo_indexing::explain {

struct Traffic {
  int64_t sectors = 0;
  int64_t least = 0;
  int64_t requests = 0;

  Traffic& operator+=(const Traffic& other) {
    sectors += other.sectors;
    least += other.least;
    requests += other.requests;
    return *this;
  }
  /// Tables of sectors say nothing of requests.
  friend bool operator==(const Traffic& a, const Traffic& b) {
    return a.sectors == b.sectors && a.least == b.least;
  }
  friend std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
    return out << traffic.sectors << " sectors, least " << traffic.least;
  }
};

/// Of an access to an array whose layout has an order only. The lanes of a warp make a request in
/// each iteration of the loops that the access depends on. Of the last loop, `vector_elements`
/// iterations are joined, it is a failure if these are no vectors; or if it is nullopt, as many as
/// are vectors in all threads.
/// Values known at run time are drawn: in draw 0 they are one end of their bounds and the other in
/// turns, so that neighbours are far apart; other numbers draw others.
Traffic CountByEveryThread(const plan::KernelAccess& access, int64_t sector_bytes, uint64_t draw,
                           std::optional<int64_t> vector_elements = std::nullopt);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_TESTS_CODEGEN_EXPLAIN_EVERY_THREAD_H_
