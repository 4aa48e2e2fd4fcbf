// The model of a plan under other settings: with micro-batches, and with fewer iterations of what
// it repeats. Each is made once.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ir/model.h"

namespace mtfc::plan {

class Models {
 public:
  /// The model with so many micro-batches and iterations (0: as many as it has); nothing if it
  /// cannot have them.
  using Make =
      std::function<std::optional<Model>(std::int64_t microbatches, std::int64_t iterations)>;

  /// `iterations`: of the blocks that the model repeats; 0: they are not known, or there are none,
  /// or it cannot have others.
  Models(Make make, std::int64_t iterations) : make_(std::move(make)), iterations_(iterations) {}

  /// The same, none of which has fewer iterations.
  Models whole_ones() const { return {make_, 0}; }
  std::int64_t iterations() const { return iterations_; }
  /// Null if there is none.
  const Model* find(std::int64_t microbatches, std::int64_t iterations = 0) const {
    const auto [at, fresh] = made_.try_emplace({microbatches, iterations});
    if (fresh) at->second = make_(microbatches, iterations);
    return at->second ? &*at->second : nullptr;
  }

 private:
  Make make_;
  std::int64_t iterations_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, std::optional<Model>> made_;
};

}  // namespace mtfc::plan
