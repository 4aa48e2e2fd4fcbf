// What a step computes at least under general rules, from the program of one processor: no layout
// splits a piece of work over more than the axes of its dimensions, and none makes kernels fewer.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/models.h"
#include "plan/space.h"
#include "predict/machine.h"

namespace mtfc::plan {

class Bounds {
 public:
  Bounds(const Space& space, const Models& models, const SourceMap& sources,
         const predict::Machine& machine);

  /// Seconds of work on examples (plan/pricing.h); `dim` and `axis`: and that dimension over the
  /// axis as well, wherever that is free.
  double seconds(const Mesh& mesh, const std::vector<Split>& rules, const std::string& dim = "",
                 const std::string& axis = "") const;

 private:
  /// Instructions that are alike.
  struct Group {
    std::vector<std::size_t> dims;  // numbers of names, ascending
    bool splits_anyhow = false;     // by another name too: it has a dimension of views alone
    double seconds = 0;             // of one, on one processor
    double count = 0;
  };
  void add(const Model& model, const SourceMap& sources, const predict::Machine& machine,
           double times);
  std::size_t number(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  const bool knows_rules_;  // no layout was given, which may split anything
  const double launch_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Group> groups_;
};

}  // namespace mtfc::plan
