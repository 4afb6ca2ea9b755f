// An indexing map for Python.
#ifndef HLO_INDEXING_PYTHON_CORE_MAP_H_
#define HLO_INDEXING_PYTHON_CORE_MAP_H_

#include <memory>
#include <mutex>
#include <utility>

#include "indexing_analysis/maps/indexing_map.h"
#include "python/core/bindings.h"
#include "python/core/map_program.h"

namespace hlo_indexing::python {

/// A map that keeps alive what it refers to. Immutable.
class Map {
 public:
  /// `owner` is the module whose instructions give the map's runtime values, or null.
  Map(std::shared_ptr<Context> context, std::shared_ptr<const void> owner,
      indexing_analysis::IndexingMap map)
      : owner_(std::move(owner)), context_(std::move(context)), map_(std::move(map)) {}

  const std::shared_ptr<Context>& context() const { return context_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  const indexing_analysis::IndexingMap& map() const { return map_; }
  /// Made at the first call; needs the lock of the context.
  const MapProgram& program() const {
    if (program_ == nullptr) program_ = std::make_shared<const MapProgram>(map_);
    return *program_;
  }

 private:
  std::shared_ptr<const void> owner_;
  std::shared_ptr<Context> context_;
  indexing_analysis::IndexingMap map_;
  mutable std::shared_ptr<const MapProgram> program_;
};

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_MAP_H_
