// About what a layout takes, without compiling it: what ranks the places where climbs begin and
// where they go next. It proves nothing; plan/price/bounds.h does.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "plan/price/named_work.h"
#include "predict/mapping.h"

namespace mtfc::plan {

class Estimates {
 public:
  /// `work` and `machine` outlive it.
  Estimates(const NamedWork& work, const predict::Machine& machine)
      : work_(work), machine_(machine) {}

  /// Seconds of a step under its general rules, mesh, stages, micro-batches and what it computes
  /// again: work, split over the axes of its dimensions; sums over dimensions that are split, as
  /// all-reduces that are waited for, and gathers where views give them other names; and stages
  /// that wait for each other, with as many chunks as they can have. Infinite: the mesh does not
  /// fit on the machine.
  double seconds(const Choice& choice);

 private:
  const std::optional<predict::Mapping>& mapping_of(const Choice& choice);
  std::vector<AxisSet> axes_of(const Choice& choice) const;  // by number of the name

  const NamedWork& work_;
  const predict::Machine& machine_;
  std::map<std::string, std::optional<predict::Mapping>> mappings_;
};

}  // namespace mtfc::plan
