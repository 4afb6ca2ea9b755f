// The race detector against happens-before by its definition: full vector clocks of all threads and
// copies, and a look at every pair of accesses.
#include "codegen/ptx/machine/race_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

enum class Order : uint8_t { kPlain, kStrong, kRelease, kAtomic, kCopy };

// Every thread has a clock for each thread, and for each copy whether it is known to be done.
class BruteForce {
 public:
  explicit BruteForce(size_t num_threads) : threads_(num_threads) {
    for (size_t t = 0; t < num_threads; ++t) {
      threads_[t].clock.assign(num_threads, 0);
      threads_[t].clock[t] = 1;
    }
  }

  // Whether the access races with any before it.
  bool Access(size_t thread, uint64_t address, uint32_t bytes, bool is_write, Order order) {
    Event event;
    event.thread = thread;
    event.time = threads_[thread].clock[thread];
    event.is_write = is_write;
    event.order = order;
    event.number = ++num_events_;
    if (order == Order::kCopy) {
      event.copy = ++num_copies_;
      threads_[thread].open.push_back(event.copy);
    }
    bool is_race = false;
    for (uint32_t i = 0; i < bytes; ++i) {
      std::vector<Event>& events = bytes_[address + i];
      for (const Event& earlier : events) is_race |= Races(earlier, event, thread);
      events.push_back(event);
    }
    if (order == Order::kStrong || order == Order::kRelease || order == Order::kAtomic) {
      Synchronize(thread, address / 4, is_write, order);
    }
    return is_race;
  }

  void OrderTogether(const std::vector<size_t>& threads) {
    Known all = threads_[threads.front()];
    for (const size_t t : threads) Join(threads_[t], all);
    for (const size_t t : threads) {
      Learn(all, t);
      ++threads_[t].clock[t];
    }
  }
  void Exchange(const std::vector<size_t>& threads) {
    Known all;
    for (const size_t t : threads) Join(learnt_[t], all);
    for (const size_t t : threads) {
      Learn(all, t);
      for (const size_t other : threads) exchanges_[{t, other}] = num_events_;
    }
  }
  void Fence(size_t thread) {
    fenced_[thread] = threads_[thread];
    ++threads_[thread].clock[thread];
  }
  void Arrive(uint64_t object, const std::vector<size_t>& threads) {
    for (const size_t t : threads) {
      Join(threads_[t], objects_[object]);
      ++threads_[t].clock[t];
    }
  }
  void Wait(uint64_t object, size_t thread) { Learn(objects_[object], thread); }
  void Commit(size_t thread) {
    ThreadState& state = threads_[thread];
    state.groups.push_back(state.open);
    state.open.clear();
  }
  void WaitCopies(size_t thread, size_t pending) {
    ThreadState& state = threads_[thread];
    for (size_t i = 0; i + pending < state.groups.size(); ++i) {
      for (const int copy : state.groups[i]) state.done[copy] = true;
    }
  }
  void CopiesArrive(uint64_t object, size_t thread) {
    ThreadState& state = threads_[thread];
    Commit(thread);
    for (const auto& group : state.groups) {
      for (const int copy : group) copies_[object].done[copy] = true;
    }
  }
  void CopiesEnd(uint64_t object) {
    Join(copies_[object], objects_[object]);
    copies_[object] = {};
  }

 private:
  struct Known {
    std::vector<uint32_t> clock;
    std::map<int, bool> done;
  };
  struct ThreadState : Known {
    std::vector<int> open;
    std::vector<std::vector<int>> groups;
  };
  struct Event {
    size_t thread = 0;
    uint32_t time = 0;
    bool is_write = false;
    Order order = Order::kPlain;
    int copy = 0;
    int number = 0;
  };

  bool IsBefore(const Event& earlier, size_t thread) const {
    const ThreadState& state = threads_[thread];
    if (earlier.copy != 0) return state.done.contains(earlier.copy);
    return earlier.thread == thread || earlier.time <= state.clock[earlier.thread];
  }
  bool Races(const Event& earlier, const Event& event, size_t thread) const {
    if (!earlier.is_write && !event.is_write) return false;
    const auto is_strong = [](const Event& e) {
      return e.order != Order::kPlain && e.order != Order::kCopy;
    };
    if (is_strong(earlier) && is_strong(event)) return false;
    // What was read before the two exchanged values is read.
    const auto exchange = exchanges_.find({thread, earlier.thread});
    if (!earlier.is_write && earlier.copy == 0 && event.copy == 0 && exchange != exchanges_.end() &&
        earlier.number <= exchange->second) {
      return false;
    }
    return !IsBefore(earlier, thread);
  }
  static void Join(const Known& from, Known& into) {
    into.clock.resize(std::max(into.clock.size(), from.clock.size()));
    for (size_t i = 0; i < from.clock.size(); ++i) {
      into.clock[i] = std::max(into.clock[i], from.clock[i]);
    }
    into.done.insert(from.done.begin(), from.done.end());
  }
  void Learn(const Known& from, size_t thread) {
    if (!from.clock.empty() || !from.done.empty()) {
      Join(from, learnt_[thread]);
      Known copy = from;
      copy.clock.resize(threads_.size());
      const uint32_t own = threads_[thread].clock[thread];
      Join(copy, threads_[thread]);
      threads_[thread].clock[thread] = own;
    }
  }
  void Synchronize(size_t thread, uint64_t word, bool is_write, Order order) {
    if (!is_write || order == Order::kAtomic) Learn(words_[word], thread);
    if (!is_write) return;
    if (order == Order::kRelease) Fence(thread);
    if (fenced_.contains(thread)) Join(fenced_[thread], words_[word]);
  }

  std::vector<ThreadState> threads_;
  // What came from others by synchronisation, without what the thread itself has done since.
  std::map<size_t, Known> learnt_;
  std::map<uint64_t, std::vector<Event>> bytes_;
  std::map<uint64_t, Known> objects_;
  std::map<uint64_t, Known> copies_;
  std::map<uint64_t, Known> words_;
  std::map<size_t, Known> fenced_;
  // Of two threads the number of the last access before their last exchange.
  std::map<std::pair<size_t, size_t>, int> exchanges_;
  int num_copies_ = 0;
  int num_events_ = 0;
};

// Makes the same random events in both until the first race, at which they have to agree.
class RandomEvents {
 public:
  RandomEvents(uint32_t seed, uint32_t num_warps)
      : random_(seed), num_warps_(num_warps), brute_force_(size_t{num_warps} * kWarpSize) {
    detector_.Begin(kBytes, num_warps * kWarpSize);
  }

  // 0: no race in all events; else the number of the event that raced; -1: they disagree.
  int Run(int num_events) {
    for (int i = 1; i <= num_events; ++i) {
      const auto [found, expected] = Event();
      if (found != expected) return -1;
      if (found) return i;
    }
    return 0;
  }

 private:
  static constexpr uint64_t kBytes = 24;

  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  LaneMask SomeLanes() {
    switch (Pick(4)) {
      case 0:
        return kAllLanes;
      case 1:
        return LaneMask{1} << Pick(4);
      case 2:
        return 0xf;
      default:
        return static_cast<LaneMask>(random_()) | 1;
    }
  }
  std::vector<size_t> Threads(int warp, LaneMask lanes) const {
    std::vector<size_t> threads;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1) != 0) threads.push_back(static_cast<size_t>(warp * kWarpSize + lane));
    }
    return threads;
  }

  std::pair<bool, bool> Event() {
    const int warp = static_cast<int>(Pick(num_warps_));
    const LaneMask lanes = SomeLanes();
    const std::vector<size_t> threads = Threads(warp, lanes);
    const uint64_t object = uint64_t{8} * Pick(2);
    switch (Pick(25)) {
      case 0: {
        detector_.OrderBlock();
        std::vector<size_t> all;
        for (size_t t = 0; t < size_t{num_warps_} * kWarpSize; ++t) all.push_back(t);
        brute_force_.OrderTogether(all);
        return {};
      }
      case 1: {
        std::vector<WarpLanes> groups;
        std::vector<size_t> all;
        for (int w = 0; w < static_cast<int>(num_warps_); ++w) {
          if (Pick(2) == 0) continue;
          groups.push_back({.warp = w, .lanes = kAllLanes});
          for (const size_t t : Threads(w, kAllLanes)) all.push_back(t);
        }
        if (all.empty()) return {};
        detector_.OrderBarrier(groups);
        brute_force_.OrderTogether(all);
        return {};
      }
      case 2:
      case 3:
      case 4:
        detector_.OrderWarp(warp, lanes);
        brute_force_.OrderTogether(threads);
        return {};
      case 5:
        detector_.Fence(warp, lanes);
        for (const size_t t : threads) brute_force_.Fence(t);
        return {};
      case 6:
        detector_.Arrive(object, warp, lanes);
        brute_force_.Arrive(object, threads);
        return {};
      case 7:
        detector_.Wait(object, warp, lanes);
        for (const size_t t : threads) brute_force_.Wait(object, t);
        return {};
      case 8:
        detector_.CommitCopies(warp, lanes);
        for (const size_t t : threads) brute_force_.Commit(t);
        return {};
      case 9: {
        const uint32_t pending = Pick(3);
        detector_.WaitCopies(warp, lanes, pending);
        for (const size_t t : threads) brute_force_.WaitCopies(t, pending);
        return {};
      }
      case 10:
        detector_.WaitAllCopies(warp, lanes);
        for (const size_t t : threads) {
          brute_force_.Commit(t);
          brute_force_.WaitCopies(t, 0);
        }
        return {};
      case 11:
        detector_.CopiesArrive(object, warp, lanes);
        for (const size_t t : threads) brute_force_.CopiesArrive(object, t);
        return {};
      case 12:
        detector_.CopiesEnd(object);
        brute_force_.CopiesEnd(object);
        return {};
      case 13:
      case 14:
        detector_.Exchange(warp, lanes);
        brute_force_.Exchange(threads);
        return {};
      default:
        return Access(warp);
    }
  }

  std::pair<bool, bool> Access(int warp) {
    // One to three lanes: with all of them nearly every access would race.
    LaneMask lanes = 0;
    for (uint32_t i = 0; i <= Pick(3); ++i) lanes |= LaneMask{1} << Pick(4);
    WarpAccess access;
    access.lanes = lanes;
    constexpr uint32_t kSizes[] = {1, 2, 4, 4, 4, 8};
    access.bytes = kSizes[Pick(6)];
    const auto order = static_cast<Order>(Pick(5));
    const bool is_write = order == Order::kAtomic || order == Order::kRelease || Pick(3) == 0;
    access.is_strong = order == Order::kStrong || order == Order::kRelease;
    access.is_release = order == Order::kRelease;
    access.kind = order == Order::kCopy
                      ? is_write ? AccessKind::kAsyncStore : AccessKind::kAsyncLoad
                  : order == Order::kAtomic ? AccessKind::kAtomic
                  : is_write                ? AccessKind::kStore
                                            : AccessKind::kLoad;
    bool expected = false;
    ForEachLane(lanes, [&](int lane) {
      const uint64_t address =
          uint64_t{Pick(static_cast<uint32_t>(kBytes / access.bytes))} * access.bytes;
      access.addresses[static_cast<size_t>(lane)] = address;
      expected |=
          brute_force_.Access(static_cast<size_t>(warp) * kWarpSize + static_cast<size_t>(lane),
                              address, access.bytes, is_write, order);
    });
    return {detector_.Access(warp, access, 0).has_value(), expected};
  }

  std::mt19937 random_;
  uint32_t num_warps_;
  RaceDetector detector_;
  BruteForce brute_force_;
};

TEST(RaceDetectorTest, AgreesWithHappensBefore) {
  int with_race = 0;
  int longest = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    RandomEvents events(seed, 1 + seed % 3);
    const int result = events.Run(150);
    ASSERT_GE(result, 0) << "seed " << seed;
    with_race += result > 0 ? 1 : 0;
    longest = std::max(longest, result);
  }
  // Both outcomes and late races occur, so that agreement means something.
  EXPECT_GT(with_race, 3000);
  EXPECT_GT(longest, 25);
}

WarpAccess Store(LaneMask lanes, uint64_t address, const std::vector<uint32_t>* values) {
  WarpAccess access;
  access.kind = AccessKind::kStore;
  access.lanes = lanes;
  access.addresses.fill(address);
  if (values != nullptr) access.stored = reinterpret_cast<const std::byte*>(values->data());
  return access;
}

WarpAccess Load(LaneMask lanes, uint64_t address) {
  WarpAccess access;
  access.lanes = lanes;
  access.addresses.fill(address);
  return access;
}

TEST(RaceDetectorTest, EqualValuesMayMeet) {
  RaceDetector detector;
  detector.Begin(64, 64);
  const std::vector<uint32_t> equal(32, 7);
  std::vector<uint32_t> different = equal;
  different[5] = 8;
  EXPECT_FALSE(detector.Access(0, Store(kAllLanes, 0, &equal), 0).has_value());
  // Each lane reads what it and all others wrote, a lane of the other warp may not.
  EXPECT_FALSE(detector.Access(0, Load(kAllLanes, 0), 1).has_value());
  EXPECT_TRUE(detector.Access(1, Load(1, 0), 1).has_value());

  const std::optional<Race> race = detector.Access(0, Store(kAllLanes, 4, &different), 2);
  ASSERT_TRUE(race.has_value());
  EXPECT_EQ(race->lane, 5);
  EXPECT_EQ(race->address, 4U);
  EXPECT_TRUE(race->other_is_write);
  // Without values any two stores differ.
  EXPECT_TRUE(detector.Access(0, Store(3, 8, nullptr), 3).has_value());
}

TEST(RaceDetectorTest, NamesTheOtherAccess) {
  RaceDetector detector;
  detector.Begin(64, 64);
  EXPECT_FALSE(detector.Access(1, Store(LaneMask{1} << 9, 12, nullptr), 41).has_value());
  const std::optional<Race> race = detector.Access(0, Load(LaneMask{1} << 3, 12), 42);
  ASSERT_TRUE(race.has_value());
  EXPECT_EQ(race->lane, 3);
  EXPECT_EQ(race->other_warp, 1);
  EXPECT_EQ(race->other_lane, 9);
  EXPECT_EQ(race->other_operation, 41U);
  EXPECT_FALSE(race->is_write);
}

// What shfl.sync passes on: lane 0 of warp 1 waits at the mbarrier for all lanes of its warp.
TEST(RaceDetectorTest, LanesPassOnWhatTheyHaveLearnt) {
  RaceDetector detector;
  detector.Begin(64, 64);
  EXPECT_FALSE(detector.Access(0, Store(1, 0, nullptr), 0).has_value());
  detector.Arrive(32, 0, 1);
  detector.Wait(32, 1, 1);
  detector.Exchange(1, 0xf);
  EXPECT_FALSE(detector.Access(1, Load(0xf, 0), 1).has_value());
  EXPECT_TRUE(detector.Access(1, Load(0x10, 0), 2).has_value());
}

// shfl.sync does not make the writes of the lanes known that exchange values by it.
TEST(RaceDetectorTest, ExchangesDoNotOrderWrites) {
  RaceDetector detector;
  detector.Begin(64, 32);
  detector.OrderWarp(0, kAllLanes);
  EXPECT_FALSE(detector.Access(0, Store(1, 0, nullptr), 0).has_value());
  EXPECT_FALSE(detector.Access(0, Store(1, 4, nullptr), 1).has_value());
  detector.Exchange(0, kAllLanes);
  EXPECT_TRUE(detector.Access(0, Load(2, 0), 2).has_value());
  EXPECT_TRUE(detector.Access(0, Store(2, 4, nullptr), 3).has_value());
}

// But what they have read is read, for those who took part, and for no one else.
TEST(RaceDetectorTest, ReadsAreOverBeforeAnExchange) {
  RaceDetector detector;
  detector.Begin(64, 64);
  for (const uint64_t address : {0, 4, 8}) {
    EXPECT_FALSE(detector.Access(0, Load(1, address), 0).has_value());
  }
  detector.Exchange(0, 0xf);
  EXPECT_FALSE(detector.Access(0, Store(2, 0, nullptr), 1).has_value());
  EXPECT_TRUE(detector.Access(0, Store(0x10, 4, nullptr), 2).has_value());
  EXPECT_TRUE(detector.Access(1, Store(1, 8, nullptr), 3).has_value());
  // A read after it is not.
  EXPECT_FALSE(detector.Access(0, Load(1, 12), 4).has_value());
  EXPECT_TRUE(detector.Access(0, Store(2, 12, nullptr), 5).has_value());
}

TEST(RaceDetectorTest, ABlockForgetsTheOneBefore) {
  RaceDetector detector;
  detector.Begin(64, 32);
  WarpAccess copy = Store(1, 0, nullptr);
  copy.kind = AccessKind::kAsyncStore;
  EXPECT_FALSE(detector.Access(0, copy, 0).has_value());
  EXPECT_FALSE(detector.Access(0, Store(1, 4, nullptr), 0).has_value());
  detector.Begin(64, 32);
  EXPECT_FALSE(detector.Access(0, Load(2, 0), 0).has_value());
  EXPECT_FALSE(detector.Access(0, Load(2, 4), 0).has_value());
  copy.addresses.fill(8);
  EXPECT_FALSE(detector.Access(0, copy, 0).has_value());
  // The copy of this block is not forgotten by a barrier: it was not waited for.
  detector.OrderBlock();
  EXPECT_TRUE(detector.Access(0, Load(1, 8), 0).has_value());
}

}  // namespace
}  // namespace hlo_indexing::ptx
