#include "mutation/field_mutations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <type_traits>

#include "support/fields.h"

namespace mtfc::test {
namespace {

/// A scalar operation that takes and gives the same types, and is easily mistaken for this one.
ScalarOp mistaken(ScalarOp op) {
  using enum ScalarOp;
  static const std::map<ScalarOp, ScalarOp> pairs = {{add, sub},
                                                     {sub, add},
                                                     {mul, div},
                                                     {div, mul},
                                                     {min, max},
                                                     {max, min},
                                                     {neg, abs},
                                                     {abs, neg},
                                                     {sign, neg},
                                                     {pow, mul},
                                                     {exp, sqrt},
                                                     {expm1, exp},
                                                     {log, sqrt},
                                                     {log1p, log},
                                                     {sqrt, rsqrt},
                                                     {rsqrt, sqrt},
                                                     {sin, cos},
                                                     {cos, sin},
                                                     {tanh, sigmoid},
                                                     {sigmoid, tanh},
                                                     {softplus, exp},
                                                     {erf, tanh},
                                                     {floor, ceil},
                                                     {ceil, floor},
                                                     {round, floor},
                                                     {eq, ne},
                                                     {ne, eq},
                                                     {lt, le},
                                                     {le, lt},
                                                     {gt, ge},
                                                     {ge, gt},
                                                     {floordiv, mod},
                                                     {mod, floordiv},
                                                     {logical_and, logical_or},
                                                     {logical_or, logical_and}};
  const auto found = pairs.find(op);
  return found == pairs.end() ? op : found->second;
}

bool commutes(ScalarOp op) {
  using enum ScalarOp;
  for (const ScalarOp each : {add, mul, min, max, eq, ne, logical_and, logical_or})
    if (op == each) return true;
  return false;
}

/// Another element of a table: one that is alike if there is one, else the next.
template <class IdType, class Alike>
IdType other(IdType id, std::size_t count, Alike&& alike) {
  for (std::size_t i = 1; i < count; ++i) {
    const IdType next{static_cast<std::int32_t>((id.at() + i) % count)};
    if (alike(next)) return next;
  }
  return IdType{static_cast<std::int32_t>((id.at() + 1) % count)};
}

/// Goes over all fields, also of fields, and offers each change to `take`: its name, and what makes
/// it.
class Fields {
 public:
  using Take = std::function<void(const std::string& name, const std::function<void()>& change)>;
  Fields(const Module& module, Take take) : module_(module), take_(std::move(take)) {}

  void operator()(std::string_view name, auto&& field) {
    const std::string outer = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(name);
    visit(field);
    path_ = outer;
  }

 private:
  void offer(const std::string& how, const std::function<void()>& change) {
    take_(path_ + how, change);
  }

  void visit(double& x) {
    offer(" by 1e-3", [&] { x = x == 0 ? 1e-3 : x * 1.001; });
  }
  void visit(std::int64_t& x) {
    offer(" + 1", [&] { ++x; });
    offer(" - 1", [&] { --x; });
  }
  void visit(int& x) {
    offer(" + 1", [&] { ++x; });
    offer(" - 1", [&] { --x; });
  }
  void visit(Bits<std::int64_t>& x) {
    offer(" + 1", [number = &x.value] { ++*number; });  // Bits itself is gone by then
  }
  void visit(bool& x) {
    if (path_ == "by_library") return;  // for the library of a network; here all add alike
    offer(" flipped", [&] { x = !x; });
  }
  void visit(Combine& x) {
    offer(" another", [&] { x = static_cast<Combine>((static_cast<int>(x) + 1) % 3); });
  }
  void visit(Distribution& x) {
    offer(" another", [&] {
      x = x == Distribution::normal ? Distribution::truncated_normal : Distribution::normal;
    });
  }
  void visit(Output::Kind&) {}
  void visit(DimId& x) {
    const DimTable& dims = module_.dims;
    if (!x.valid()) return;
    offer(" another", [&] {
      x = other(x, dims.size(), [&](DimId dim) { return dims.size(dim) == dims.size(x); });
    });
  }
  void visit(AxisId& x) {
    const Mesh& mesh = module_.mesh;
    if (mesh.axes.size() < 2) return;
    offer(" another", [&] {
      x = other(x, mesh.axes.size(), [&](AxisId axis) { return mesh.size(axis) == mesh.size(x); });
    });
  }
  void visit(std::string& x) {
    // Of a variable: another one of its type. Other names are those of inputs and outputs.
    const ModuleVariable* variable = module_.find_variable(x);
    if (path_ != "variable" || variable == nullptr) return;
    for (const ModuleVariable& next : module_.variables)
      if (next.type == variable->type && next.path != x)
        return offer(" another", [&] { x = next.path; });
  }
  void visit(ShardType&) {}  // checked against what the step makes
  template <class... Kinds>
  void visit(std::variant<Kinds...>& kind) {
    std::visit([this](auto& x) { visit(x); }, kind);
  }
  void visit(ScalarInstruction& x) {
    if (x.kind == LeafKind::constant) {
      if (is_float(x.dtype)) (*this)("value", x.value);
      if (!is_float(x.dtype))
        offer(".value + 1", [&] { x.value = x.value == 1 ? 0 : x.value + 1; });
    }
    if (x.kind != LeafKind::none) return;
    if (mistaken(x.op) != x.op)
      offer("." + std::string(mtfc::name(x.op)) + " -> " + std::string(mtfc::name(mistaken(x.op))),
            [&] { x.op = mistaken(x.op); });
    const int last = arity(x.op) - 1;
    if (last >= 1 && !commutes(x.op) && x.args[last] != x.args[last - 1])
      offer("." + std::string(mtfc::name(x.op)) + " operands exchanged",
            [&, last] { std::swap(x.args[last], x.args[last - 1]); });
  }
  void visit_element(auto& element, std::size_t i) {
    const std::string outer = path_;
    path_ += "[" + std::to_string(i) + "]";
    visit(element);
    path_ = outer;
  }
  template <class T>
  void visit(std::vector<T>& list) {
    if (path_.ends_with("body_results"))
      return;  // numbers of one program, checked against its results
    for (std::size_t i = 0; i < list.size(); ++i) visit_element(list[i], i);
    if constexpr (!std::is_same_v<T, ScalarInstruction>) {
      if (!list.empty()) offer(" shorter", [&] { list.pop_back(); });
      if (list.size() > 1) offer(" exchanged", [&] { std::swap(list[0], list[1]); });
    }
  }
  template <class T>
  requires HasFields<T>
  void visit(T& x) { T::fields(x, *this); }

  const Module& module_;
  Take take_;
  std::string path_;
};

void each_change(InstructionKind& kind, const Module& module, Fields::Take take) {
  Fields fields(module, std::move(take));
  std::visit(
      [&](auto& instruction) { std::decay_t<decltype(instruction)>::fields(instruction, fields); },
      kind);
}

}  // namespace

std::vector<std::string> field_mutations(const InstructionKind& kind, const Module& module) {
  std::vector<std::string> names;
  InstructionKind copy = kind;
  each_change(copy, module, [&](const std::string& name, const auto&) { names.push_back(name); });
  return names;
}

void mutate_field(InstructionKind& kind, const Module& module, std::size_t number) {
  std::size_t at = 0;
  // What is changed is not offered again: a change may end the list that is gone over.
  std::function<void()> wanted;
  each_change(kind, module, [&](const std::string&, const std::function<void()>& change) {
    if (at++ == number) wanted = change;
  });
  if (wanted) wanted();
}

}  // namespace mtfc::test
