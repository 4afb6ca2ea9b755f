// Remembers which tile sizes fit: the layers of a model ask the same again and again.
// `bench/README.md` has what that gains.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_TABLE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/queries/tile_fit.h"

namespace hlo_indexing::indexing_analysis {

/// For one module, and one capacity.
class TileFitTable {
 public:
  explicit TileFitTable(int64_t capacity) : capacity_(capacity) {}

  /// What FitTiles answers. Valid as long as the table.
  const TileFits& Fit(const OutputIndexing& indexing, const hlo::Instruction& instruction,
                      int64_t output_leaf);

 private:
  // All that the answer depends on: shapes and exactness as text, and maps.
  struct Question {
    std::string arrays;
    std::vector<IndexingMap> maps;

    friend bool operator==(const Question&, const Question&) = default;
  };
  struct Hash {
    size_t operator()(const Question& question) const;
  };

  int64_t capacity_;
  std::unordered_map<Question, TileFits, Hash> fits_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_TILE_FIT_TABLE_H_
