// Reads dumps of graphs. Every look-up and number is checked: a dump may have been edited. What an
// operation means, ir does not know: whoever goes on checks that.
#include "ir/dump_reader.h"
#include "ir/text.h"

namespace mtfc {

namespace {

class GraphReader : private DumpReader {
 public:
  GraphReader(const DimTable& dims, const SourceMap* sources)
      : DumpReader(dims, no_mesh_, sources), table_(dims) {}

  void read(DumpLine& line) {
    if (line.done()) return;
    if (!open_) {
      line.need("graph ");
      graphs_.emplace_back();
      if (!line.next_is("{")) graph().name = line.dotted_words();
      line.need("{");
      values_.clear();
      open_ = true;
    } else if (line.take("}")) {
      number_as_printed();
      open_ = false;
    } else if (line.next_is("%") || line.next_is("=")) {
      operation(line);
    } else if (line.take("update ")) {
      update(line);
    } else {
      Output& output = graph().outputs.emplace_back();
      output.kind = one_of<Output::Kind>(line);
      output.name = line.string();
      line.need("=");
      output.value = value(line);
    }
    if (!line.done()) line.fail("something follows what belongs here");
  }
  bool open() const { return open_; }
  std::vector<Graph> take() { return std::move(graphs_); }

 private:
  Graph& graph() { return graphs_.back(); }

  TensorType type(DumpLine& line) const {
    TensorType type;
    type.dtype = dtype(line);
    line.list("[", "]", [&] {
      type.dims.push_back(dim(line));
      line.need("=");
      const std::int64_t size = line.integer();
      if (line.ok() && table_.size(type.dims.back()) != size)
        line.fail("the dimension has another size");
    });
    return type;
  }

  void operation(DumpLine& line) {
    Operation op;
    const OpId id = next_id<OpId>(graph().ops);
    std::vector<std::int64_t> numbers;
    while (line.next_is("%")) {
      auto [number, hint] = value_name(line);
      line.need(":");
      numbers.push_back(number);
      op.results.push_back(next_id<ValueId>(graph().values));
      const int result = static_cast<int>(numbers.size()) - 1;
      graph().values.push_back({type(line), std::move(hint), id, result});
      if (!line.take(",")) break;
    }
    line.need("=");
    op.op = line.word();
    op.operands = operands(line);
    while (line.next_is_word()) {
      std::string key = line.word();
      line.need("=");
      if (op.attrs.find(key)) line.fail("`" + key + "` is given twice");
      op.attrs.set(std::move(key), attribute(line));
    }
    op.role = role(line);
    op.origin = origin(line);
    for (std::size_t i = 0; i < numbers.size(); ++i) define(line, numbers[i], op.results[i]);
    graph().ops.push_back(std::move(op));
  }

  void update(DumpLine& line) {
    ParameterUpdate& update = graph().updates.emplace_back();
    update.parameter = line.string();
    if (line.take("from ")) update.gradient = value(line);
    while (line.take("state ")) update.states.push_back(line.string());
  }

  /// Passes insert operations, so values need not be in the order of the lines.
  void number_as_printed() {
    std::vector<ValueId> fresh(graph().values.size());
    std::vector<Value> values;
    for (const auto& [number, id] : values_) {
      fresh[id.at()] = next_id<ValueId>(values);
      values.push_back(std::move(graph().values[id.at()]));
    }
    graph().values = std::move(values);
    const auto renumber = [&](ValueId& id) { id = fresh[id.at()]; };
    for (Operation& op : graph().ops) {
      for (ValueId& id : op.operands) renumber(id);
      for (ValueId& id : op.results) renumber(id);
    }
    for (Output& output : graph().outputs) renumber(output.value);
    for (ParameterUpdate& update : graph().updates)
      if (update.gradient.valid()) renumber(update.gradient);
  }

  static inline const Mesh no_mesh_;
  const DimTable& table_;
  std::vector<Graph> graphs_;
  bool open_ = false;
};

}  // namespace

std::optional<std::vector<Graph>> parse_graphs(const std::string& text, const DimTable& dims,
                                               std::string& error, const SourceMap* sources) {
  GraphReader reader(dims, sources);
  if (!each_line(text, error, [&](DumpLine& line) { reader.read(line); })) return std::nullopt;
  if (!reader.open()) return reader.take();
  error = "a graph is never closed";
  return std::nullopt;
}

std::optional<Graph> parse_graph(const std::string& text, const DimTable& dims, std::string& error,
                                 const SourceMap* sources) {
  auto graphs = parse_graphs(text, dims, error, sources);
  if (graphs && graphs->size() == 1) return std::move(graphs->front());
  if (graphs) error = "it has " + std::to_string(graphs->size()) + " graphs, not one";
  return std::nullopt;
}

}  // namespace mtfc
