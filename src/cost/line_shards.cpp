#include "cost/line_shards.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ir/glob.h"
#include "ir/scope_finder.h"
#include "support/json.h"
#include "support/program_names.h"
#include "support/text.h"

namespace mtfc::cost {
namespace {

/// "layers.*.q" of all instances; of some "layers.{0,2-5}.q", if they differ in one number.
std::string instances_text(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths[0];
  const auto begin = std::mismatch(paths[0].begin(), paths[0].end(), paths[1].begin()).first;
  std::size_t first = static_cast<std::size_t>(begin - paths[0].begin());
  while (first > 0 && paths[0][first - 1] != '.') --first;
  const std::string before = paths[0].substr(0, first),
                    after = paths[0].substr(std::min(paths[0].find('.', first), paths[0].size()));
  std::vector<int> numbers;
  for (const std::string& path : paths) {
    const std::size_t end = std::min(path.find('.', first), path.size());
    const auto number = read_number<int>(path.substr(std::min(first, path.size()), end - first));
    if (!number || path != before + std::to_string(*number) + after)
      return paths[0] + " and " + counted(static_cast<std::int64_t>(paths.size()) - 1, "other");
    numbers.push_back(*number);
  }
  return before + "{" + ranges_text(numbers) + "}" + after;
}

class ShardTable {
 public:
  ShardTable(const Module& module, const Assignment& assignment, const SourceMap& sources,
             const std::set<std::string>& hidden)
      : module_(module),
        assignment_(assignment),
        sources_(sources),
        hidden_(hidden),
        scopes_(assignment) {}

  void add(const Program& program) {
    for (const Instruction& at : program.instructions) {
      const std::string* variable = variable_of(at.kind);
      const bool made = at.role.kind == StepRole::Kind::model && at.origin.phase == Phase::forward;
      const bool read = variable && at.origin.phase != Phase::update;  // not the optimiser's
      if (!at.origin.span.valid() || !(made || read)) continue;
      if (variable && (hidden_.contains(*variable) || !declares(at.origin.span, *variable)))
        continue;
      for (ValueId result : at.results) {
        const ProgramValue& value = program.at(result);
        const std::string& name = variable ? *variable : value.name.str();
        holding_ = variable ? std::vector<int>() : scopes_.of(at.role.block.str(), name);
        const auto add_line = [&](Span line, bool called) {
          LineShard shard;
          shard.source = source_text(sources_, line);
          shard.name = name;
          shard.called = called;
          add(std::move(shard), value.type, variable != nullptr);
        };
        add_line(at.origin.span, false);
        if (at.origin.call.valid()) add_line(at.origin.call, true);
      }
    }
  }
  /// A line with names needs no nameless value.
  std::vector<LineShard> take() {
    std::erase_if(shards_, [&](const LineShard& shard) {
      if (!shard.name.empty()) return false;
      return shard.dims.empty() || std::any_of(shards_.begin(), shards_.end(), [&](const auto& s) {
               return s.source == shard.source && s.called == shard.called && !s.name.empty();
             });
    });
    for (LineShard& shard : shards_) shard.instances = {{shard.name, {}}};
    return std::move(shards_);
  }

 private:
  void add(LineShard shard, const ShardType& type, bool variable) {
    const std::vector<std::int64_t> extents = shard_extents(module_.dims, module_.mesh, type);
    for (std::size_t i = 0; i < type.tensor.dims.size(); ++i)
      shard.dims.push_back(
          dim(type.tensor.dims[i], type.sharding.split[i], extents[i], variable ? shard.name : ""));
    if (type.sharding.is_partial()) shard.partial = to_string(module_.mesh, type.sharding.partial);
    const auto [at, fresh] =
        numbers_.try_emplace({shard.source, shard.name, shard.called}, shards_.size());
    if (fresh) {
      shards_.push_back(std::move(shard));
      variables_.push_back(variable);
    } else if (!variables_[at->second]) {  // a variable is shown as it is kept, not as it is
                                           // gathered
      shards_[at->second] = std::move(shard);
    }
  }

  LineShard::Dim dim(DimId id, const std::vector<AxisId>& axes, std::int64_t size,
                     const std::string& variable) const {
    LineShard::Dim one{module_.dims[id].name, "", "", size};
    if (!axes.empty()) one.axes = to_string(module_.mesh, axes);
    if (!axes.empty() || rule_splits(one.name)) one.cause = cause(one.name, axes, variable);
    return one;
  }

  /// Whether the line is the first that reads the variable: micro-batches read it anew where they
  /// use it, and their sums are none of the model's.
  bool declares(Span span, const std::string& variable) {
    const ModuleVariable* known = module_.find_variable(variable);
    if (known && known->kind == Variable::Kind::accumulator) return false;
    const std::string source = source_text(sources_, span);
    return declared_.try_emplace(variable, source).first->second == source;
  }

  bool is_called(DimId id, const std::string& name) const {
    return id.at() < module_.dims.size() && module_.dims[id].name == name;
  }
  bool rule_splits(const std::string& name) const {
    for (std::size_t d = 0; d < assignment_.dims.size(); ++d)
      if (is_called(DimId{static_cast<std::int32_t>(d)}, name) && !assignment_.dims[d].axes.empty())
        return true;
    return false;
  }

  /// Of entries joined by "; " those that name the dimension; all, if a pattern does.
  static std::string entries_for(const std::string& name, const std::string& entries) {
    std::string own;
    for (std::size_t at = 0; at < entries.size();) {
      const std::size_t end = std::min(entries.find("; ", at), entries.size());
      const std::string entry = entries.substr(at, end - at);
      if (entry.find(" " + name + ":") != std::string::npos)
        own += (own.empty() ? "" : "; ") + entry;
      at = end + 2;
    }
    return own.empty() ? entries : own;
  }

  /// The rule that splits dimensions of this name so, or the scope that leaves them unsplit.
  std::string cause(const std::string& name, const std::vector<AxisId>& axes,
                    const std::string& variable) const {
    for (std::size_t d = 0; d < assignment_.dims.size(); ++d)
      if (const DimId id{static_cast<std::int32_t>(d)};
          !axes.empty() && is_called(id, name) && assignment_.dims[d].axes == axes)
        return assignment_.dims[d].cause;
    if (const auto kept = assignment_.kept.find(variable); kept != assignment_.kept.end())
      return entries_for(name, kept->second.cause);
    const auto of_scope = [&](const Assignment::Scope& scope) -> std::string {
      for (const Assignment::Scope::Split& split : scope.splits)
        if (is_called(split.dim, name) && split.axes == axes) return split.cause;
      return "";
    };
    std::string found;
    for (const int number : holding_)
      if (found.empty()) found = of_scope(assignment_.scopes[static_cast<std::size_t>(number)]);
    // What is made of a scope's values keeps their splits.
    for (const Assignment::Scope& scope : assignment_.scopes)
      if (found.empty() && !axes.empty()) found = of_scope(scope);
    return found;
  }

  const Module& module_;
  const Assignment& assignment_;
  const SourceMap& sources_;
  const std::set<std::string>& hidden_;
  ScopeFinder scopes_;
  std::vector<int> holding_;  // the scopes of the value at hand
  std::vector<LineShard> shards_;
  std::vector<bool> variables_;
  std::map<std::string, std::string> declared_;  // the source of a variable
  // By source, name and whether it is called.
  std::map<std::tuple<std::string, std::string, bool>, std::size_t> numbers_;
};

}  // namespace

std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1; ++end) {
    }
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end > i + 1) text += "-" + std::to_string(numbers[end - 1]);
  }
  return text;
}

std::vector<std::string> LineShard::paths() const {
  std::vector<std::string> all;
  for (const Instance& one : instances) all.push_back(one.path);
  return all;
}

std::string LineShard::text() const {
  std::string list;
  for (const Dim& dim : dims)
    list += (list.empty() ? "" : ", ") + dim.name + (dim.axes.empty() ? "" : ":" + dim.axes) + "=" +
            std::to_string(dim.size);
  return (name.empty() ? "" : name + " ") + "[" + list + "]" +
         (partial.empty() ? "" : " partial over " + partial);
}

std::vector<LineShard> single_shards(const Module& module, const Assignment& assignment,
                                     const SourceMap& sources,
                                     const std::set<std::string>& hidden) {
  ShardTable lines(module, assignment, sources, hidden);
  for (const auto& [program, times] : counted_programs(module)) lines.add(*program);
  return lines.take();
}

std::vector<LineShard> instances_together(std::vector<LineShard> all) {
  std::vector<LineShard> together;
  std::map<std::tuple<std::string, std::string, bool>, std::vector<std::size_t>> variants;
  for (LineShard& shard : all) {
    const std::string general = general_path(shard.name);
    auto& known = variants[{shard.source, general, shard.called}];
    const auto alike = [&](std::size_t i) {
      return together[i].dims == shard.dims && together[i].partial == shard.partial;
    };
    const auto found = std::find_if(known.begin(), known.end(), alike);
    if (found != known.end()) {
      together[*found].instances.push_back(std::move(shard.instances.front()));
      continue;
    }
    known.push_back(together.size());
    together.push_back(std::move(shard));
  }
  for (const auto& [key, known] : variants)
    for (const std::size_t i : known)
      together[i].name = known.size() == 1 ? std::get<1>(key) : instances_text(together[i].paths());
  return together;
}

std::vector<LineShard> line_shards(const Module& module, const Assignment& assignment,
                                   const SourceMap& sources, const std::set<std::string>& hidden) {
  return instances_together(single_shards(module, assignment, sources, hidden));
}

std::string to_json(const LineShard& shard) {
  std::vector<std::string> dims;
  for (const LineShard::Dim& dim : shard.dims)
    dims.push_back(json_object({{"name", json(dim.name)},
                                {"axes", json(dim.axes)},
                                {"cause", json(dim.cause)},
                                {"size", json(dim.size)}}));
  return json_object({{"source", json(shard.source)},
                      {"name", json(shard.name)},
                      {"partial", json(shard.partial)},
                      {"dims", json_array(dims)}});
}

}  // namespace mtfc::cost
