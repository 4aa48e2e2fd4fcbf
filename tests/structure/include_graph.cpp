#include "include_graph.h"

#include <filesystem>
#include <regex>
#include <sstream>

#include "sources.h"

namespace mtfc::test {
namespace {

std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  const std::string begin = "#include \"";
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(begin, 0) == 0)
      found.push_back(line.substr(begin.size(), line.find('"', begin.size()) - begin.size()));
  return found;
}

/// Tarjan's strongly connected components.
class Components {
 public:
  explicit Components(const Edges& edges) : edges_(edges) {
    for (const auto& [node, to] : edges) visit(node);
  }
  std::set<std::string> several;  // with more than one member

 private:
  struct State {
    std::size_t number = 0, low = 0;  // numbers begin with 1
    bool open = false;
  };

  void visit(const std::string& node) {
    State& state = states_[node];
    if (state.number != 0) return;
    state = {++count_, count_, true};
    open_.push_back(node);
    if (const auto found = edges_.find(node); found != edges_.end()) {
      for (const std::string& next : found->second) {
        visit(next);
        if (states_[next].open) state.low = std::min(state.low, states_[next].low);
      }
    }
    if (state.low == state.number) close(node);
  }

  void close(const std::string& first) {
    std::set<std::string> members;
    while (members.count(first) == 0) {
      members.insert(open_.back());
      states_[open_.back()].open = false;
      open_.pop_back();
    }
    if (members.size() < 2) return;
    std::string joined;
    for (const std::string& member : members) joined += (joined.empty() ? "" : " ") + member;
    several.insert(joined);
  }

  const Edges& edges_;
  std::map<std::string, State> states_;
  std::vector<std::string> open_;
  std::size_t count_ = 0;
};

}  // namespace

Edges include_graph() {
  std::map<std::string, std::string> texts;
  for (SourceText& file : files_below("src", {".h", ".cpp", ".inc", ".def"}))
    texts.emplace(file.path.substr(4), std::move(file.text));
  Edges edges;
  for (const auto& [path, text] : texts) {
    std::set<std::string>& to = edges[path];
    for (const std::string& name : quoted_includes(text)) {
      const std::string beside = folder_of(path) + "/" + name;
      if (texts.count(name) == 1) to.insert(name);
      if (texts.count(beside) == 1) to.insert(beside);
    }
  }
  return edges;
}

Edges between(const Edges& edges, const std::function<std::string(const std::string&)>& group) {
  Edges result;
  for (const auto& [from, all] : edges)
    for (const std::string& to : all)
      if (group(from) != group(to)) result[group(from)].insert(group(to));
  return result;
}

std::set<std::string> circles(const Edges& edges) { return Components(edges).several; }

Edges closure(const Edges& edges) {
  Edges all;
  for (const auto& [from, direct] : edges) {
    all[from];
    std::vector<std::string> next(direct.begin(), direct.end());
    while (!next.empty()) {
      const std::string node = next.back();
      next.pop_back();
      if (!all[from].insert(node).second || edges.count(node) == 0) continue;
      next.insert(next.end(), edges.at(node).begin(), edges.at(node).end());
    }
  }
  return all;
}

Edges linked_rooms() {
  const std::regex room(R"(mtfc_room\((\w+) -O\w+([^)]*)\))");
  const std::regex cli(R"(target_link_libraries\((mtfc)_cli PUBLIC([^)]*)\))");
  const auto read = [](Edges& edges, const std::string& text, const std::regex& line,
                       const std::string& prefix) {
    for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) {
      std::set<std::string>& to = edges[prefix.empty() ? (*i)[1].str() : "cli"];
      std::istringstream words((*i)[2].str());
      for (std::string word; words >> word;)
        if (word.rfind(prefix, 0) == 0 && word != "mtfc_flags")
          to.insert(word.substr(prefix.size()));
    }
  };
  Edges edges;
  read(edges, read_text("CMakeLists.txt"), room, "");
  read(edges, read_text("src/cli/CMakeLists.txt"), cli, "mtfc_");
  return edges;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string room_of(const std::string& path) { return path.substr(0, path.find('/')); }
std::string unit_of(const std::string& path) { return path.substr(0, path.rfind('.')); }

}  // namespace mtfc::test
