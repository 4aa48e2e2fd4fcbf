// What a sum over processors takes at least on a machine.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/space/choice.h"
#include "plan/price/named_work.h"
#include "predict/mapping.h"

namespace mtfc::plan {

class SumRates {
 public:
  explicit SumRates(const predict::Machine& machine);

  /// Seconds of each byte of a processor's operand, without what messages take besides: several
  /// sums may share these.
  struct Rates {
    double all_reduce = 0, reduce_scatter = 0;
  };
  /// Of one mesh, in the stages of a pipeline where that is the least.
  class OnMesh {
   public:
    /// Over at least these axes: on rings and trees a sum over more may take less. 0: the mesh does
    /// not fit on the machine.
    Rates over(AxisSet axes);

   private:
    friend class SumRates;
    const predict::Machine* machine_ = nullptr;
    AxisSet all_ = 0;
    std::vector<predict::Mapping> mappings_;
    std::map<AxisSet, Rates> known_;
  };
  OnMesh& on(const Choice& choice);

 private:
  predict::Machine machine_;
  std::map<std::string, OnMesh> meshes_;
};

}  // namespace mtfc::plan
