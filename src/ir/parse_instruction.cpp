// Instructions of dumps: what stands behind the operands.
#include "ir/dump_names.h"
#include "ir/text.h"

namespace mtfc {

namespace {

class KindReader : private DumpNames {
 public:
  explicit KindReader(const DumpNames& names) : DumpNames(names) {}

  InstructionKind read(const std::string& kind, DumpLine& line) {
    if (kind == "map") return map(line);
    if (kind == "contract") return Contract{named_dims(line, "reduced")};
    if (kind == "reduce") {
      const Combine c = combine(line);
      return Reduce{c, named_dims(line, "reduced")};
    }
    if (kind == "rearrange") return rearrange(line);
    if (kind == "slice" || kind == "pad") return slice(kind == "slice", line);
    if (kind == "gather") {
      DimList list = named_dims(line, "along");
      line.need("else ");
      return Gather{std::move(list), line.number()};
    }
    if (kind == "scatter_add") {
      DimList list = named_dims(line, "along");
      return ScatterAdd{std::move(list), named_dims(line, "reduced")};
    }
    if (kind == "put") {
      const DimId entry = dim(line);
      line.need("into ");
      return Put{dim(line), entry};
    }
    if (kind == "window") {
      std::vector<WindowItem> items = window_items(line);
      line.need("else ");
      return Window{std::move(items), line.number()};
    }
    if (kind == "window_add") {
      std::vector<WindowItem> items = window_items(line);
      return WindowAdd{std::move(items), named_dims(line, "reduced")};
    }
    if (kind == "prefix_sum") {
      PrefixSum prefix{dim(line), false, false};
      prefix.exclusive = line.take("exclusive");
      prefix.reverse = line.take("reverse");
      return prefix;
    }
    if (kind == "top_places") {
      TopPlaces top{dim(line), {}, 0};
      if (line.take("from")) top.first = line.integer();
      line.need("to ");
      top.ranks = dim(line);
      return top;
    }
    if (kind == "concat") {
      DimList parts = named_dims(line, "along");
      line.need("to ");
      return Concat{std::move(parts), dim(line)};
    }
    if (kind == "read") return Read{line.string()};
    if (kind == "write") return Write{line.string()};
    if (kind == "feed") return Feed{line.string()};
    if (kind == "fetch") return fetch(line);
    return movement(kind, line);
  }

 private:
  static Summing summing(DumpLine& line) {
    Summing how;
    how.by_library = line.take("library");
    how.begun = line.take("begun");
    return how;
  }
  InstructionKind movement(const std::string& kind, DumpLine& line) {
    if (kind == "await") return Await{};
    if (kind == "all_reduce") {
      AllReduce a{combine(line), {}, {}};
      line.need("along");
      line.need("(");
      a.axes = axes(line);
      line.need(")");
      a.how = summing(line);
      return a;
    }
    if (kind == "permute") return permute(line);
    if (kind == "reduce_scatter") {
      const Combine c = combine(line);
      DimList dims = dims_before_over(line);
      const AxisId a = axis(line);
      return ReduceScatter{c, std::move(dims), a, summing(line)};
    }
    if (kind == "all_gather") {
      DimList dims = dims_before_over(line);
      return AllGather{std::move(dims), axis(line)};
    }
    const DimId first = dim(line);
    DimId second;
    if (kind == "all_to_all") {
      line.need("to ");
      second = dim(line);
    }
    line.need("over ");
    const AxisId a = axis(line);
    if (kind == "shard") return Shard{first, a};
    if (kind == "all_to_all") return AllToAll{first, second, a};
    throw DumpFailure{"unknown instruction `" + kind + "`"};
  }

  /// A dimension of each operand.
  DimList dims_before_over(DumpLine& line) const {
    DimList list;
    do list.push_back(dim(line));
    while (line.take(","));
    line.need("over ");
    return list;
  }

  Permute permute(DumpLine& line) {
    Permute result;
    do {
      Permute::Change& change = result.changes.emplace_back();
      change.dim = dim(line);
      line.need("over ");
      change.from = axes(line);
      line.need("to ");
      change.to = axes(line);
    } while (line.take(","));
    return result;
  }

  InstructionKind fetch(DumpLine& line) {
    const std::string kind = line.word();
    for (auto k :
         {Output::Kind::loss, Output::Kind::metric, Output::Kind::report, Output::Kind::tensor}) {
      if (name(k) == kind) return Fetch{k, line.string()};
    }
    throw DumpFailure{"unknown kind of output"};
  }

  DimList group(DumpLine& line) {
    if (!line.take("(")) return {dim(line)};
    return dims(line, ")");
  }
  Rearrange rearrange(DumpLine& line) {
    Rearrange r;
    line.need("[");
    while (!line.take("]")) {
      DimGroup g;
      g.from = group(line);
      line.need("->");
      g.to = group(line);
      r.groups.push_back(std::move(g));
      line.take(",");
    }
    return r;
  }
  InstructionKind slice(bool is_slice, DumpLine& line) {
    const DimId first = dim(line);
    line.need(is_slice ? "from " : "at ");
    const std::int64_t begin = line.integer();
    line.need("to ");
    const DimId second = dim(line);
    if (is_slice) return Slice{first, second, begin};
    return Pad{first, second, begin};
  }

  std::vector<WindowItem> window_items(DumpLine& line) {
    std::vector<WindowItem> items;
    line.need("[");
    while (!line.take("]")) {
      WindowItem item{dim(line), {}};
      line.need("=");
      item.at.begin = line.integer();
      while (line.take("+")) {
        const std::int64_t scale = line.integer();
        item.at.terms.push_back({dim(line), scale});
      }
      items.push_back(std::move(item));
      line.take(",");
    }
    return items;
  }

  Map map(DumpLine& line) {
    Map m;
    line.need("{");
    while (!line.take("yield")) {
      m.body.code.push_back(scalar(line, m));
      line.need(";");
    }
    while (!line.take("}")) m.body.results.push_back(number_below(line, m.body.code.size()));
    return m;
  }
  static int number_below(DumpLine& line, std::size_t limit) {
    const std::int64_t n = line.integer();
    if (n < 0 || static_cast<std::size_t>(n) >= limit) throw DumpFailure{"no such scalar value"};
    return static_cast<int>(n);
  }
  ScalarInstruction scalar(DumpLine& line, Map& m) {
    ScalarInstruction s;
    const std::string word = line.word();
    if (word == "operand") {
      s.kind = LeafKind::operand;
      s.leaf = static_cast<int>(line.integer());
    } else if (word == "constant") {
      s.kind = LeafKind::constant;
      s.value = line.number();
    } else if (word == "index") {
      s.kind = LeafKind::index;
      s.leaf = static_cast<int>(m.index_leaves.size());
      m.index_leaves.push_back(dim(line));
    } else if (word == "random") {
      s.kind = LeafKind::random;
      s.leaf = static_cast<int>(m.random_leaves.size());
      m.random_leaves.push_back(random(line));
    } else {
      const auto op = scalar_op_named(word);
      if (!op) throw DumpFailure{"unknown scalar operation `" + word + "`"};
      s.op = *op;
      for (int i = 0; i < arity(*op); ++i) s.args[i] = number_below(line, m.body.code.size());
    }
    s.dtype = dtype(line);
    return s;
  }
  Map::Random random(DumpLine& line) {
    Map::Random r;
    const auto draw = draw_named(line.word());
    if (!draw) throw DumpFailure{"unknown distribution"};
    r.draw = *draw;
    r.a = line.number();
    r.b = line.number();
    r.key = line.integer();
    r.step_operand = static_cast<int>(line.integer());
    r.first_operand = static_cast<int>(line.integer());
    if (line.take("every ")) {
      r.every = line.integer();
      r.numbered = dim(line);
    }
    line.need("[");
    r.dims = dims(line, "]");
    if (r.every < 1 || (r.numbered.valid() && !contains(r.dims, r.numbered)))
      throw DumpFailure{"a draw is numbered along a dimension that it lacks"};
    return r;
  }
};

}  // namespace

InstructionKind read_instruction(const DumpNames& names, const std::string& kind, DumpLine& line) {
  return KindReader(names).read(kind, line);
}

}  // namespace mtfc
