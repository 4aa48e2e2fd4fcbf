// Random draws: fresh ones each step, and initial values of parameters and states.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/declare.h"
#include "support/draw_key.h"

namespace mtfc::elab {

namespace {

struct DrawForm {
  std::string_view name;
  Draw draw;
  std::vector<std::string> args;
};
const std::vector<DrawForm>& draw_forms() {
  static const std::vector<DrawForm> forms = {
      {"uniform", Draw::uniform, {"low", "high"}},
      {"normal", Draw::normal, {"std"}},
      {"truncated_normal", Draw::truncated_normal, {"std"}},
      {"integers", Draw::integers, {"n"}},
      {"bernoulli", Draw::bernoulli, {"p"}},
  };
  return forms;
}

/// What is wrong with the numbers of a distribution; empty if nothing.
std::string wrong_numbers(Draw draw, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return "its numbers must be finite";
  if (draw == Draw::uniform && a > b) return "its lower end is above its upper end";
  if ((draw == Draw::normal || draw == Draw::truncated_normal) && a < 0)
    return "a standard deviation is not negative";
  if (draw == Draw::integers && (a < 1 || a > 2147483647.0 || a != std::floor(a)))
    return "`n` must be whole and from 1 to 2147483647";
  if (draw == Draw::bernoulli && (a < 0 || a > 1)) return "a probability is from 0 to 1";
  return "";
}

DType drawn_type(Draw draw) {
  if (draw == Draw::integers) return DType::i32;
  return draw == Draw::bernoulli ? DType::boolean : DType::f32;
}

std::int64_t key_bits(std::int64_t seed, const std::string& path) {
  return static_cast<std::int64_t>(draw_key(static_cast<std::uint64_t>(seed), path));
}

}  // namespace

/// The distribution written after `~`. Initial values know fan_in, he, glorot
/// and orthogonal as well.
std::optional<Elaborator::DrawSpec> Elaborator::draw_spec(ast::ExprId id, bool initial) {
  const Span span = expr(id).span;
  const auto* call = std::get_if<ast::Call>(&expr(id).node);
  const std::string name = call ? call->callee.text : "";
  if (initial && (name == "fan_in" || name == "he" || name == "glorot"))
    return fan_spec(*call, span);
  if (initial && name == "orthogonal") return orthogonal_spec(*call, span);
  const DrawForm* form = nullptr;
  for (const DrawForm& f : draw_forms())
    if (f.name == name) form = &f;
  if (!form) {
    Diagnostic d = diag(DiagKind::unknown_name, code(span) + " is not a distribution").at(span);
    d.notes.push_back(
        "distributions are uniform, normal, truncated_normal, integers and bernoulli" +
        std::string(initial ? "; initial values also fan_in, he, glorot and orthogonal" : ""));
    if (call)
      suggest(d, call->callee,
              {"uniform", "normal", "truncated_normal", "integers", "bernoulli", "fan_in", "he",
               "glorot", "orthogonal"});
    if (initial) d.helps.push_back("a fixed value is written with `=`");
    report(std::move(d));
    return std::nullopt;
  }
  std::vector<std::optional<double>> numbers(form->args.size());
  bool fine = !call->over && !call->to && !call->instance;
  std::size_t next = 0;
  for (const ast::Argument& argument : call->args) {
    std::size_t slot = next;
    if (argument.name) {
      slot = 0;
      while (slot < form->args.size() && form->args[slot] != argument.name->text) ++slot;
    } else {
      ++next;
    }
    if (slot >= numbers.size() || numbers[slot]) {
      fine = false;
      break;
    }
    const auto number = static_number(argument.value, "`" + form->args[slot] + "`");
    if (!number) return std::nullopt;
    numbers[slot] = number->value();
  }
  std::string usage;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    fine = fine && numbers[i];
    usage += (i ? ", " : "") + form->args[i];
  }
  const double a = fine ? *numbers[0] : 0, b = fine && numbers.size() > 1 ? *numbers[1] : 0;
  const std::string wrong = fine ? wrong_numbers(form->draw, a, b) : "";
  if (!fine || !wrong.empty()) {
    Diagnostic d = diag(DiagKind::wrong_arguments, "`" + name + "` takes " + usage).at(span);
    if (!wrong.empty()) d.notes.push_back(wrong);
    report(std::move(d));
    return std::nullopt;
  }
  return DrawSpec{form->draw, a, b, machine(drawn_type(form->draw)), {}, {}};
}

/// fan_in(over in), he(over in), glorot(over in -> out): truncated normals.
std::optional<Elaborator::DrawSpec> Elaborator::fan_spec(const ast::Call& call, Span span) {
  const std::string& name = call.callee.text;
  const bool both = name == "glorot";
  if (!call.over || (both != call.to.has_value()) || !call.args.empty()) {
    report(diag(DiagKind::wrong_list, "`" + name + "` takes " +
                                          (both ? "`over in -> out`" : "`over in`") +
                                          " and no arguments")
               .at(span));
    return std::nullopt;
  }
  const auto in = dim_list(*call.over);
  const auto out = both ? dim_list(*call.to) : Dims{};
  if (!in || !out) return std::nullopt;
  auto product = [&](const Dims& dims) {
    double total = 1;
    for (DimId dim : dims) total *= static_cast<double>(session_.model.dims.size(dim));
    return total;
  };
  const double fan = both ? product(*in) + product(*out) : product(*in);
  const double variance = (name == "fan_in" ? 1.0 : 2.0) / fan;
  return DrawSpec{Draw::truncated_normal, std::sqrt(variance), 0, machine(DType::f32), {}, {}};
}

/// orthogonal(gain=1 over in -> out): a matrix with orthonormal rows or columns, times the gain.
std::optional<Elaborator::DrawSpec> Elaborator::orthogonal_spec(const ast::Call& call, Span span) {
  double gain = 1;
  const bool form = call.over && call.to && call.args.size() <= 1 && !call.instance;
  const bool named = call.args.empty() || !call.args[0].name || call.args[0].name->text == "gain";
  if (!form || !named) {
    report(diag(DiagKind::wrong_list, "`orthogonal` takes `over in -> out`, and before it `gain`")
               .at(span));
    return std::nullopt;
  }
  if (!call.args.empty()) {
    const auto given = static_number(call.args[0].value, "`gain`");
    if (!given) return std::nullopt;
    gain = given->value();
  }
  const auto rows = dim_list(*call.over), columns = dim_list(*call.to);
  if (!rows || !columns) return std::nullopt;
  for (DimId dim : *rows) {
    if (!contains(*columns, dim)) continue;
    report(diag(DiagKind::repeated_dimension, "`" + names({dim}) + "` is in both lists")
               .at(call.to->span)
               .also(call.over->span, "listed here too"));
    return std::nullopt;
  }
  return DrawSpec{Draw::normal, 1, gain, machine(DType::f32), *rows, *columns};
}

/// Newton's iteration multiplies matrices over the larger side; the smaller one needs a twin.
std::optional<ValueId> Elaborator::orthogonal(const DrawSpec& spec, const TensorType& type,
                                              std::int64_t key, Span span) {
  for (DimId dim : union_of(spec.rows, spec.columns)) {
    if (contains(type.dims, dim)) continue;
    report(
        diag(DiagKind::missing_dimension, "`" + names({dim}) + "` is no dimension of this tensor")
            .at(span, "the tensor is " + show(type.dims)));
    return std::nullopt;
  }
  const DimTable& dims = session_.model.dims;
  const bool wide = elements(dims, spec.rows) <= elements(dims, spec.columns);
  const Dims &small = wide ? spec.rows : spec.columns, &large = wide ? spec.columns : spec.rows;
  std::vector<DimGroup> twins;
  Dims busy = type.dims;
  for (DimId dim : small) {
    // Far from the names that a model or a layout would use.
    const DimId twin = free_twin(session_.twin(session_.twin(dim)), busy);
    busy.push_back(twin);
    twins.push_back({{dim}, {twin}});
  }
  ops::Builder& b = session_.init;
  const ValueId draws = b.random(spec.draw, spec.a, 0, key, type, false);
  const ValueId q = b.apply("orthogonal", {draws}, {{"twins", twins}, {"others", large}});
  return spec.b == 1 ? q : b.binary("mul", q, b.constant(spec.b, type.dtype));
}

bool Elaborator::initialise(const VariableDecl& decl, const std::string& path,
                            const TensorType& type) {
  const Span span = expr(decl.init).span;
  std::optional<ValueId> value;
  session_.init.origin.span = span;
  session_.init.origin.scope = now_.scope->path;
  if (decl.drawn) {
    const auto spec = draw_spec(decl.init, true);
    if (!spec) return false;
    if (is_float(spec->dtype) != is_float(type.dtype) ||
        (!is_float(type.dtype) && spec->dtype != type.dtype)) {
      report(diag(DiagKind::type_mismatch, "`" + decl.name.text + "` is " +
                                               std::string(name(type.dtype)) + " and the draw is " +
                                               std::string(name(spec->dtype)))
                 .at(span)
                 .also(decl.name.span, "declared here"));
      return false;
    }
    const std::int64_t key = key_bits(session_.seed, path);
    value = spec->rows.empty()
                ? session_.init.random(spec->draw, spec->a, spec->b, key, type, false)
                : orthogonal(*spec, type, key, span);
    if (!value) return false;
  } else {
    const auto* call = std::get_if<ast::Call>(&expr(decl.init).node);
    if (call && is_draw(call->callee.text)) {
      report(diag(DiagKind::misplaced, "a draw is written after `~`, not after `=`")
                 .at(span)
                 .help("write `" + decl.name.text + "[...] ~ " +
                       std::string(session_.sources.text(span)) + "`"));
      return false;
    }
    const Val val = eval(decl.init);
    double number = 0;
    if (const Number* n = val.number()) {
      const auto fits = constant_of(*n, type.dtype, span);
      if (!fits) return false;
      number = *fits;
    } else if (val.boolean() && type.dtype == DType::boolean) {
      number = *val.boolean();
    } else {
      not_static(val, span, "an initial value");
      return false;
    }
    value = session_.init.constant(number, type.dtype, type.dims);
  }
  session_.init.set_name(*value, path);
  session_.model.init.outputs.push_back({Output::Kind::variable, path, *value});
  return true;
}

/// The path of a draw; further ones of the same path get `~k`.
std::string Elaborator::draw_path(const std::string& name) {
  const std::string path = joined(now_.scope->path, name);
  const int before = draw_paths_[path]++;
  return before == 0 ? path : path + "~" + std::to_string(before);
}

void Elaborator::exec_draw(const ast::Assign& assign) {
  const auto spec = draw_spec(assign.value, false);
  for (const ast::Target& target : assign.targets) {
    const Span span = join(target.name.span, expr(assign.value).span);
    if (!target.shape) {
      report(diag(DiagKind::wrong_list, "a draw needs the dimensions of what is drawn")
                 .at(target.name.span)
                 .help("write `" + target.name.text + "[batch, ...] ~ ...`, or `" +
                       target.name.text + "[dims(x)] ~ ...` for the shape of `x`"));
      this->assign(target.name, {});
      continue;
    }
    const auto dims = shape(*target.shape, target.name.text);
    const auto dtype = declared_type(target.dtype);
    if (!dims || !spec || (target.dtype && !dtype)) {
      this->assign(target.name, {});
      continue;
    }
    if (dtype && *dtype != spec->dtype && !(is_float(*dtype) && is_float(spec->dtype))) {
      report(diag(DiagKind::type_mismatch, "`" + target.name.text + "` is declared " +
                                               std::string(name(*dtype)) + " and the draw is " +
                                               std::string(name(spec->dtype)))
                 .at(expr(assign.value).span)
                 .also(target.dtype->span, "declared here"));
      this->assign(target.name, {});
      continue;
    }
    const std::string path = draw_path(target.name.text);
    const ValueId id = at(span).random(spec->draw, spec->a, spec->b, key_bits(session_.seed, path),
                                       {dtype.value_or(spec->dtype), *dims}, true);
    this->assign(target.name, {id});
  }
}

}  // namespace mtfc::elab
