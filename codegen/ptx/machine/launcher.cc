#include "codegen/ptx/machine/launcher.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "codegen/ptx/machine/executor.h"
#include "codegen/ptx/machine/global_races.h"

namespace hlo_indexing::ptx {
namespace {

// Operations of a warp before the next one has its turn.
constexpr uint64_t kQuantum = 4096;
// Blocks that are resident together where they communicate, and their memory. A GPU has less.
constexpr uint64_t kMaxResident = 1024;
constexpr uint64_t kResidentByChoice = 64;
constexpr uint64_t kMaxResidentBytes = uint64_t{1} << 28;
// Blocks that a host thread takes at a time: neighbours touch neighbouring memory.
constexpr uint64_t kBlocksAtATime = 8;
// How long the thread that launches waits for the others before it asks whether to go on.
constexpr std::chrono::milliseconds kBetweenQuestions(20);

class LaunchRunner {
 public:
  LaunchRunner(const Program& program, const LaunchOptions& options, GlobalMemory& memory,
               const std::vector<std::byte>& parameters, FindingLog& findings,
               uint64_t grid_barrier)
      : program_(program),
        options_(options),
        memory_(memory),
        parameters_(parameters),
        findings_(findings),
        grid_barrier_(grid_barrier),
        num_blocks_(uint64_t{options.grid[0]} * options.grid[1] * options.grid[2]) {}

  LaunchEnd Run() {
    const bool is_serial =
        program_.blocks_communicate || options_.checks.racecheck || options_.is_cooperative;
    uint64_t num_threads = 1;
    if (!is_serial) {
      num_threads = options_.num_host_threads > 0 ? static_cast<uint64_t>(options_.num_host_threads)
                                                  : std::thread::hardware_concurrency();
      num_threads = std::clamp<uint64_t>(num_threads, 1, num_blocks_ / kBlocksAtATime + 1);
    }
    std::vector<LaunchState> states;
    for (uint64_t i = 0; i < num_threads; ++i) states.push_back(NewState());
    if (is_serial) {
      RunTogether(states.front());
    } else {
      RunInThreads(states);
    }
    LaunchEnd end;
    end.is_interrupted = is_interrupted_;
    for (size_t i = 0; i < states.size(); ++i) {
      end.warp_instructions += states[i].warp_instructions;
      end.output += states[i].output;
      if (end.stop_reason.empty()) end.stop_reason = states[i].stop_reason;
      const GlobalRaceDetector* races = states[i].global_races.get();
      if (races != nullptr && !races->unchecked().empty()) {
        end.unchecked = "races of blocks in global memory: " + races->unchecked();
      }
      end.is_limit |= states[i].warp_instructions > options_.max_warp_instructions;
      if (i > 0 && options_.profile) profiles_.front()->Merge(*profiles_[i]);
    }
    if (options_.profile) end.profile = std::move(profiles_.front());
    return end;
  }

 private:
  LaunchState NewState() {
    LaunchState state;
    state.program = &program_;
    state.options = &options_;
    state.memory = &memory_;
    state.parameters = parameters_;
    state.findings = &findings_;
    state.grid_barrier = grid_barrier_;
    if (options_.profile) {
      profiles_.push_back(std::make_unique<Profile>(program_.num_operations));
      state.profile = profiles_.back().get();
    }
    return state;
  }

  // The block that is executed as number `i`: a schedule begins somewhere and goes round, or takes
  // the blocks from the last to the first.
  uint64_t BlockNumber(uint64_t i) const {
    if (options_.schedule == 0) return i;
    const uint64_t shifted = (i + options_.schedule * 0x9e3779b97f4a7c15) % num_blocks_;
    return options_.schedule % 2 == 1 ? num_blocks_ - 1 - shifted : shifted;
  }

  // Asked by the thread that launches.
  bool KeepRunning() {
    if (!options_.keep_running || options_.keep_running(num_ended_, num_blocks_)) return true;
    is_interrupted_ = true;
    is_stopped_ = true;
    return false;
  }

  // This thread takes its share of the blocks, and answers for the others meanwhile and after.
  void RunInThreads(std::vector<LaunchState>& states) {
    num_running_ = states.size() - 1;
    std::vector<std::thread> threads;
    threads.reserve(num_running_);
    for (size_t i = 1; i < states.size(); ++i) {
      threads.emplace_back([this, &state = states[i]] {
        RunOneByOne(state, /*asks=*/false);
        const std::lock_guard<std::mutex> lock(mutex_);
        --num_running_;
        thread_has_ended_.notify_one();
      });
    }
    RunOneByOne(states.front(), /*asks=*/true);
    std::unique_lock<std::mutex> lock(mutex_);
    while (!thread_has_ended_.wait_for(lock, kBetweenQuestions,
                                       [this] { return num_running_ == 0; })) {
      lock.unlock();
      if (!is_stopped_) KeepRunning();
      lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
  }

  void RunOneByOne(LaunchState& state, bool asks) {
    Block block;
    while (!is_stopped_) {
      const uint64_t begin = next_.fetch_add(kBlocksAtATime);
      if (begin >= num_blocks_) return;
      const uint64_t end = std::min(begin + kBlocksAtATime, num_blocks_);
      for (uint64_t i = begin; i < end && !is_stopped_; ++i) {
        const uint64_t number = BlockNumber(i);
        BeginBlock(state, block, number);
        uint64_t order = options_.schedule ^ (number << 20);
        Progress progress = Progress::kRunning;
        while ((progress == Progress::kRunning || progress == Progress::kWaiting) && !is_stopped_ &&
               (!asks || KeepRunning())) {
          progress = RunBlock(state, block, kQuantum, order);
        }
        if (progress == Progress::kStopped) is_stopped_ = true;
        if (progress == Progress::kFinished) ++num_ended_;
      }
    }
  }

  // Of shared memory, and of the registers and the local memory of its threads.
  uint64_t BytesOfBlock() const {
    const ProgramFunction& kernel = program_.functions.front();
    const uint64_t threads = uint64_t{options_.block[0]} * options_.block[1] * options_.block[2];
    const uint64_t warps = (threads + kWarpSize - 1) / kWarpSize;
    return 1 + program_.dynamic_shared_offset + options_.dynamic_shared_bytes +
           warps * (kernel.initial_registers.size() + kWarpSize * kernel.local_bytes);
  }

  void RunTogether(LaunchState& state) {
    const uint64_t capacity =
        options_.is_cooperative
            ? num_blocks_
            : std::clamp<uint64_t>(kMaxResidentBytes / BytesOfBlock(), 1, kMaxResident);
    // Most blocks end in their first turn, though they could wait: more are begun when one does
    // not.
    uint64_t wanted = options_.schedule == 0 ? 1 : kResidentByChoice;
    std::deque<Block> blocks;
    std::vector<Block*> resident;
    std::vector<Block*> unused;
    uint64_t next = 0;
    uint64_t order = options_.schedule;
    while (next < num_blocks_ || !resident.empty()) {
      wanted = std::min(wanted, capacity);
      while (next < num_blocks_ && resident.size() < wanted) {
        if (unused.empty()) unused.push_back(&blocks.emplace_back());
        resident.push_back(unused.back());
        unused.pop_back();
        BeginBlock(state, *resident.back(), BlockNumber(next++));
      }
      for (size_t i = 0; i < resident.size();) {
        if (!KeepRunning()) return;
        const Progress progress = RunBlock(state, *resident[i], kQuantum, order);
        if (progress == Progress::kStopped) return;
        if (progress != Progress::kFinished) {
          ++i;
          continue;
        }
        ++num_ended_;
        unused.push_back(resident[i]);
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (!resident.empty()) wanted *= 2;
    }
  }

  const Program& program_;
  const LaunchOptions& options_;
  GlobalMemory& memory_;
  const std::vector<std::byte>& parameters_;
  FindingLog& findings_;
  uint64_t grid_barrier_;
  uint64_t num_blocks_;
  std::vector<std::unique_ptr<Profile>> profiles_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<uint64_t> num_ended_ = 0;
  bool is_interrupted_ = false;
  // Threads beside the one that launches.
  std::mutex mutex_;
  std::condition_variable thread_has_ended_;
  size_t num_running_ = 0;
};

}  // namespace

LaunchEnd RunLaunch(const Program& program, const LaunchOptions& options, GlobalMemory& memory,
                    const std::vector<std::byte>& parameters, FindingLog& findings,
                    uint64_t grid_barrier) {
  return LaunchRunner(program, options, memory, parameters, findings, grid_barrier).Run();
}

}  // namespace hlo_indexing::ptx
