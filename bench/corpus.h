// The HLO files that benchmarks run on.
#ifndef HLO_INDEXING_BENCH_CORPUS_H_
#define HLO_INDEXING_BENCH_CORPUS_H_

#include <memory>
#include <string>
#include <vector>

#include "hlo/module.h"

namespace hlo_indexing::bench {

struct HloFile {
  std::string name;
  std::shared_ptr<const std::string> text;
};

/// Every `.hlo` file below the folder that the environment variable HLO_CORPUS names, by name; the
/// examples of the project where it is not set.
const std::vector<HloFile>& Corpus();

/// The modules of a file that is known to be right; ends the program where it is not.
std::vector<std::unique_ptr<hlo::Module>> ParseOrExit(const HloFile& file);

}  // namespace hlo_indexing::bench

#endif  // HLO_INDEXING_BENCH_CORPUS_H_
