#include "cli/reports/why_target.h"

#include <algorithm>
#include <set>

#include "ir/glob.h"
#include "ir/named_values.h"
#include "ops/view.h"
#include "support/did_you_mean.h"
#include "support/program_names.h"

namespace mtfc::cli {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// "nn.mtf:19" is "library/nn.mtf:19".
bool names_source(const std::string& text, const std::string& source) {
  return source == text || source.ends_with("/" + text);
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end())
    list.push_back(text);
}

bool contains(const std::vector<cost::LineShard::Instance>& instances, std::string_view path) {
  return std::any_of(instances.begin(), instances.end(),
                     [&](const auto& one) { return one.path == path; });
}

/// A tensor by its own path or as listed; of a path with `*` all instances.
std::optional<WhyTarget> find_tensor(const std::string& asked,
                                     const std::vector<cost::LineShard>& shards) {
  std::optional<WhyTarget> all;
  for (const cost::LineShard& one : shards) {
    if (one.called || one.name.empty()) continue;
    if (one.name == asked || contains(one.instances, asked))
      return WhyTarget{one.source, one.name, one.instances};
    if (general_path(one.instances.front().path) != asked) continue;
    if (!all) all = WhyTarget{one.source, asked, {}};
    all->instances.insert(all->instances.end(), one.instances.begin(), one.instances.end());
  }
  return all;
}

}  // namespace

bool WhyTarget::has(const cost::LineShard& shard) const {
  return name.empty() ? shard.source == source
                      : !shard.called && contains(instances, shard.instances.front().path);
}

std::vector<int> WhyTarget::stages(const cost::LineStages& of_lines) const {
  std::set<int> own;
  for (const cost::LineShard::Instance& one : instances)
    own.insert(one.stages.begin(), one.stages.end());
  if (!name.empty()) return {own.begin(), own.end()};
  const auto found = of_lines.find(source);
  return found == of_lines.end() ? std::vector<int>() : found->second;
}

bool WhyTarget::has(const cost::CollectiveCost& collective) const {
  if (name.empty()) return collective.source == source || collective.call == source;
  // A bucket's names are joined by ", ".
  for (std::size_t begin = 0; begin < collective.tensor.size();) {
    const std::size_t end = std::min(collective.tensor.find(", ", begin), collective.tensor.size());
    std::string_view one = std::string_view(collective.tensor).substr(begin, end - begin);
    if (const std::string_view value = gradient_names::value_of(one); !value.empty()) one = value;
    one = one.substr(0, one.find('@'));  // what a further stage adds to it
    if (contains(instances, one)) return true;
    const bool viewed = std::find(views_of.begin(), views_of.end(), one) != views_of.end();
    if (viewed && collective.source == source) return true;
    begin = end + 2;
  }
  return false;
}

std::optional<WhyTarget> find_target(const std::string& text, const Model& model,
                                     const std::string& model_path, const cost::Cost& cost,
                                     const std::vector<cost::LineShard>& shards,
                                     std::vector<std::string>& known) {
  const std::string line = is_number(text) ? model_path + ":" + text : text;
  std::vector<std::string> sources;
  for (const cost::LineCost& one : cost.lines) add_once(sources, one.source);
  for (const cost::LineShard& one : shards) add_once(sources, one.source);
  for (const cost::CollectiveCost& one : cost.collectives) add_once(sources, one.call);
  for (const std::string& source : sources)
    if (names_source(line, source)) return WhyTarget{source, ""};
  for (const std::string& asked : {text, computed_name(model.train, text)})
    if (std::optional<WhyTarget> tensor = find_tensor(asked, shards)) {
      for (const cost::LineShard::Instance& one : tensor->instances)
        add_once(tensor->views_of, ops::name_of_viewed(model.train, one.path));
      return tensor;
    }
  for (const cost::LineShard& one : shards) add_once(known, one.name);
  if (text.find(':') != text.npos || is_number(text)) known = sources;
  return std::nullopt;
}

std::string help_without_target(const std::string& text, const Model& model,
                                const std::vector<std::string>& known) {
  if (text.ends_with(".layout")) return "a layout is given as `--layout FILE`";
  const std::vector<Value>& values = model.train.values;
  if (std::any_of(values.begin(), values.end(),
                  [&](const Value& value) { return value.name == text; }))
    return "it is computed within what takes it, element by element, and kept nowhere: see the "
           "line of that; `mtfc run` computes it";
  const std::string otherwise =
      "`mtfc why MODEL` lists lines and tensors; what a block of the model computes stands at the "
      "lines in it, not where it is called";
  return is_number(text) ? otherwise : suggested(text, known, otherwise);
}

}  // namespace mtfc::cli
