// Seeds of command lines, one for each command and each option, and of problems.
#include <set>

#include "cli/options/command_rows.h"
#include "fuzz/seeds.h"
#include "fuzz/target.h"
#include "unit/solve/problems.h"

namespace mtfc::fuzz {

namespace {

/// An argument that the option takes.
std::string argument_of(const cli::OptionRow& row) {
  if (!row.words.empty()) return row.words.front();
  if (row.name == "-D") return "batch=16";
  if (row.name == "--set") return "train.optimizer.lr=0.5";
  if (row.name == "--mesh") return "rows:2;cols:2";
  if (row.name == "--rules") return "mesh rows=2, cols=2; batch:rows; h:cols";
  if (row.name == "--budget") return "memory<=16GB, sent<=2GB, step<=300ms";
  if (row.name == "--axis") return "rows=1..64";
  if (row.name == "--processors") return "4..16";
  if (row.name == "--memory") return "80GB";
  if (row.name == "--hardware") return "h100";
  return "3";
}

/// `known`: options that other commands have, too.
void add_options(const cli::CommandRow& command, std::set<std::string>& known,
                 std::vector<Seed>& all) {
  std::string start = command.name, every = start;
  for (const cli::PositionalRow& row : command.positionals)
    if (row.required) start += "\nm";
  for (const cli::OptionRow& row : command.options)
    if (row.required) start += "\n" + row.name + "\n" + argument_of(row);
  for (const cli::OptionRow& row : command.options) {
    const bool flag = row.placeholder.empty();
    const std::string name = row.letter.empty() ? row.name : row.letter;
    if (known.insert(row.name).second)
      all.push_back({"command", command.name + row.name,
                     start + "\n" + name + (flag ? "" : "\n" + argument_of(row))});
    if (row.excludes.empty()) every += "\n" + row.name + (flag ? "" : "=" + argument_of(row));
  }
  all.push_back({"command", command.name, start});
  all.push_back({"command", command.name + "-every", every});
}

void add_commands(std::vector<Seed>& all) {
  std::set<std::string> known;
  for (const cli::CommandRow& command : cli::command_rows()) add_options(command, known, all);
  for (const char* line : {"--help", "-V", "chekc\nm.mtf", "train\n--help", "help\ntrain", ""})
    all.push_back({"command", "line" + std::to_string(all.size()), line});
  all.push_back({"command", "plan-all",
                 "plan\nm\n--processors\n8..64\n--hardware\nh100\n--axes\n3\n--memory\n40GiB\n-D\n"
                 "h=7\n--set\ntrain.optimizer=sgd(lr=0.1, momentum=0.9)\n--error-format=sarif"});
  all.push_back({"command", "completion", "completion\nbash\ntrain\nm\n--lay"});
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return "[" + text + "]";
}
std::string list(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> items;
  for (const std::int64_t number : numbers) items.push_back(std::to_string(number));
  return list(items);
}

std::string json_of(const solve::Problem& problem) {
  std::vector<std::string> intervals, costs, usages, pairs, matrices;
  for (const solve::ProblemNode& node : problem.nodes) {
    intervals.push_back(list({node.from, node.to}));
    costs.push_back(list(node.costs));
    usages.push_back(list(node.usages));
  }
  for (const solve::ProblemEdge& edge : problem.edges) {
    pairs.push_back(list({static_cast<std::int64_t>(edge.a), static_cast<std::int64_t>(edge.b)}));
    matrices.push_back(list(edge.costs));
  }
  return "{\"problem\": {\"name\": \"" + problem.name +
         "\", \"nodes\": {\"intervals\": " + list(intervals) + ", \"costs\": " + list(costs) +
         ", \"usages\": " + list(usages) + "}, \"edges\": {\"nodes\": " + list(pairs) +
         ", \"costs\": " + list(matrices) + "}" +
         (problem.limit ? ", \"usage_limit\": " + std::to_string(*problem.limit) : "") + "}}";
}

void add_problems(std::vector<Seed>& all) {
  std::mt19937_64 random(3);
  all.push_back({"problem", "example", json_of(solve::test::example())});
  for (const std::size_t nodes : {1, 2, 3, 5})
    all.push_back({"problem", "random-" + std::to_string(nodes),
                   json_of(solve::test::random_problem(
                       random, {std::max<std::size_t>(nodes, 2), 3, nodes, 15, 0.5}))});
}

}  // namespace

void add_line_seeds(std::vector<Seed>& all) {
  add_commands(all);
  add_problems(all);
}

}  // namespace mtfc::fuzz
