// What one processor's program of a step computes and keeps, by names of dimensions: what bounds
// (plan/price/bounds.h) and estimates (plan/price/estimates.h) of other layouts go by.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lowering/state/state.h"
#include "plan/price/models.h"
#include "plan/space/space.h"
#include "predict/machine.h"

namespace mtfc::plan {

/// Instructions with examples (plan/space/examples.h) that are alike.
struct WorkGroup {
  std::vector<std::size_t> dims;    // numbers of names, ascending
  std::vector<std::size_t> summed;  // of these, those that the result or a step's lacks
  bool splits_anyhow = false;       // by another name too: it has a dimension of views alone
  bool in_stages = true;            // also where a pipeline is cut
  bool of_examples = false;         // the result has a dimension of examples
  double seconds = 0;               // of one, on one processor
  double result_bytes = 0;
  double count = 0, each = 0;  // in all; of these, in every iteration
};
/// Sums of repeated blocks that are alike: if a path's names are split, one of its values is summed
/// over processors before the program goes on (plan/space/sum_paths.h); one for all of the paths.
struct SumGroup {
  struct Value {
    std::vector<std::size_t> dims;
    std::vector<std::size_t> cut;  // of it, and of the views of it
    double bytes = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  struct Path {
    std::vector<std::size_t> summed;
    std::vector<Value> values;
    friend bool operator==(const Path&, const Path&) = default;
  };
  std::vector<Path> paths;
  double count = 0, each = 0;  // as of WorkGroup
};
/// Views of the model that are alike: they give dimensions other names. Where the one is split and
/// the other is not, the value is gathered.
struct ViewGroup {
  std::vector<std::size_t> dims;         // of the result
  std::vector<std::size_t> gone, fresh;  // names of the operand alone, and of the result
  double bytes = 0, count = 0;
};
/// Variables of a step that are alike.
struct VariableGroup {
  std::vector<std::size_t> dims;
  bool is_parameter = false;
  double bytes = 0, count = 0;
};

class NamedWork {
 public:
  NamedWork(const Space& space, const Models& models, const SourceMap& sources,
            const predict::Machine& machine);

  const std::vector<WorkGroup>& groups() const { return groups_; }
  const std::vector<SumGroup>& sums() const { return sums_; }
  const std::vector<ViewGroup>& views() const { return views_; }
  const std::vector<VariableGroup>& variables() const { return variables_; }
  std::size_t names() const { return numbers_.size(); }
  /// Null: nothing has the name.
  const std::size_t* find(const std::string& name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? nullptr : &at->second;
  }

 private:
  /// The layout that splits nothing.
  struct Plain {
    const SourceMap& sources;
    const predict::Machine& machine;
    const Layout settings;  // of the layout that was given: `set attention=stored`
  };
  /// Adds the model's program so often, to what is in every iteration `each` times.
  void add(const Model& model, const Plain& plain, double times, double each);
  /// Of variables and inputs; of dimensions of examples.
  struct Names {
    std::set<std::string> own, examples;
  };
  void note_names(WorkGroup& group, const Instruction& at, const Program& program,
                  const DimTable& dims, const Names& names);
  void add_summed(WorkGroup& group, const Instruction& at, const DimTable& dims);
  void add_sums(const lowering::State& state, double times, double each);
  SumGroup::Value value_of(const Graph& graph, const DimTable& dims, ValueId id);
  void add_views(const Model& model, double times);
  void add_variables(const Module& module, double times);
  std::vector<std::size_t> numbers_of(const DimTable& table, const DimList& dims);

  std::map<std::string, std::size_t> numbers_;
  std::vector<WorkGroup> groups_;
  std::vector<SumGroup> sums_;
  std::vector<ViewGroup> views_;
  std::vector<VariableGroup> variables_;
};

/// Axes of a mesh, one bit each.
using AxisSet = std::uint32_t;
AxisSet bits_of(const Mesh& mesh, const std::vector<std::string>& axes);
/// Processors along these.
double size_of(const Mesh& mesh, AxisSet axes);
/// Of a set, ascending.
std::vector<AxisId> ids_of(AxisSet axes);
/// Of all these names; `axes`: by number of the name.
AxisSet all_of(const std::vector<std::size_t>& names, const std::vector<AxisSet>& axes);

/// Bytes of one processor that live from step to step, on average over the stages of a pipeline: no
/// variable is split over more than the axes that rules, blocks and ways to keep give its
/// dimensions, or, if it is not a parameter and replicas share the update, than all.
double variable_bytes(const NamedWork& work, const Choice& choice, bool shares_update);

}  // namespace mtfc::plan
