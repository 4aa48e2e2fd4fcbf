#include "frontend/elaborate/sample_spec.h"

#include <algorithm>
#include <cmath>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

struct SampleForm {
  std::string_view name;
  Distribution distribution;
  std::vector<std::string> args;
};

const std::vector<SampleForm>& sample_forms() {
  static const std::vector<SampleForm> forms = {
      {"uniform", Distribution::uniform, {"low", "high"}},
      {"normal", Distribution::normal, {"std"}},
      {"truncated_normal", Distribution::truncated_normal, {"std"}},
      {"integers", Distribution::integers, {"n"}},
      {"bernoulli", Distribution::bernoulli, {"p"}},
  };
  return forms;
}

/// Distributions, then what initial values know as well.
std::vector<std::string> distribution_names() {
  std::vector<std::string> names = names_of(sample_forms());
  for (const char* name : {"fan_in", "he", "glorot", "orthogonal"}) names.emplace_back(name);
  return names;
}

/// What is wrong with the numbers of a distribution; empty if nothing.
std::string wrong_numbers(Distribution distribution, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return "its numbers must be finite";
  if (distribution == Distribution::uniform && a > b) return "its lower end is above its upper end";
  if ((distribution == Distribution::normal || distribution == Distribution::truncated_normal) &&
      a < 0)
    return "a standard deviation is not negative";
  if (distribution == Distribution::integers && (a < 1 || a > 2147483647.0 || a != std::floor(a)))
    return "`n` must be whole and from 1 to 2147483647";
  if (distribution == Distribution::bernoulli && (a < 0 || a > 1))
    return "a probability is from 0 to 1";
  return "";
}

DType sampled_type(Distribution distribution) {
  if (distribution == Distribution::integers) return DType::i32;
  return distribution == Distribution::bernoulli ? DType::boolean : DType::f32;
}

/// fan_in(over in), he(over in), glorot(over in -> out): truncated normals.
std::optional<SampleSpec> fan_spec(Context& cx, const ast::Call& call, Span span) {
  const std::string& name = call.callee.text;
  const bool both = name == "glorot";
  if (!call.over || (both != call.to.has_value()) || !call.args.empty()) {
    report(cx, diag(DiagKind::wrong_list, "`" + name + "` takes " +
                                              (both ? "`over in -> out`" : "`over in`") +
                                              " and no arguments")
                   .at(span));
    return std::nullopt;
  }
  const auto in = dim_list(cx, *call.over);
  const auto out = both ? dim_list(cx, *call.to) : Dims{};
  if (!in || !out) return std::nullopt;
  auto product = [&](const Dims& dims) {
    double total = 1;
    for (DimId dim : dims) total *= static_cast<double>(cx.dims().size(dim));
    return total;
  };
  const double fan = both ? product(*in) + product(*out) : product(*in);
  const double variance = (name == "fan_in" ? 1.0 : 2.0) / fan;
  return SampleSpec{Distribution::truncated_normal,
                    std::sqrt(variance),
                    0,
                    computed_type(cx, DType::f32),
                    {},
                    {}};
}

/// orthogonal(gain=1 over in -> out): a matrix with orthonormal rows or columns, times the gain.
std::optional<SampleSpec> orthogonal_spec(Context& cx, const ast::Call& call, Span span) {
  double gain = 1;
  const bool form = call.over && call.to && call.args.size() <= 1 && !call.instance;
  const bool named = call.args.empty() || !call.args[0].name || call.args[0].name->text == "gain";
  if (!form || !named) {
    report(cx,
           diag(DiagKind::wrong_list, "`orthogonal` takes `over in -> out`, and before it `gain`")
               .at(span));
    return std::nullopt;
  }
  if (!call.args.empty()) {
    const auto given = static_number(cx, call.args[0].value, "`gain`");
    if (!given) return std::nullopt;
    gain = given->value();
  }
  const auto rows = dim_list(cx, *call.over), columns = dim_list(cx, *call.to);
  if (!rows || !columns) return std::nullopt;
  for (DimId dim : *rows) {
    if (!contains(*columns, dim)) continue;
    report(cx, diag(DiagKind::repeated_dimension, "`" + dim_names(cx, {dim}) + "` is in both lists")
                   .at(call.to->span)
                   .also(call.over->span, "listed here too"));
    return std::nullopt;
  }
  return SampleSpec{Distribution::normal, 1, gain, computed_type(cx, DType::f32), *rows, *columns};
}

void not_a_distribution(Context& cx, const ast::Call* call, Span span, bool initial) {
  Diagnostic d =
      diag(DiagKind::unknown_name, quoted_source(cx, span) + " is not a distribution").at(span);
  d.notes.push_back(
      "distributions are uniform, normal, truncated_normal, integers and bernoulli" +
      std::string(initial ? "; initial values also fan_in, he, glorot and orthogonal" : ""));
  const std::string_view advice = call ? advice_on_distribution(call->callee.text) : "";
  if (!advice.empty())
    d.helps.emplace_back(advice);
  else if (call)
    suggest(d, call->callee, distribution_names());
  if (d.helps.empty() && initial) d.helps.push_back("a fixed value is written with `=`");
  report(cx, std::move(d));
}

void given_twice(Context& cx, const std::string& name, Span first, Span second) {
  report(cx, diag(DiagKind::wrong_arguments, "`" + name + "` is given twice")
                 .at(second, "second")
                 .also(first, "first"));
}

/// The numbers in the order of the form; none if the call has another form. Absent: reported.
std::optional<std::vector<double>> numbers_of(Context& cx, const SampleForm& form,
                                              const ast::Call& call) {
  const std::vector<double> other_form;
  std::vector<std::optional<double>> numbers(form.args.size());
  std::vector<Span> spans(form.args.size());
  std::size_t next = 0;
  for (const ast::Argument& argument : call.args) {
    std::size_t slot = next;
    if (argument.name) {
      slot = 0;
      while (slot < form.args.size() && form.args[slot] != argument.name->text) ++slot;
    } else {
      ++next;
    }
    if (slot >= numbers.size()) return other_form;
    const Span span = argument.name ? argument.name->span : cx.expr(argument.value).span;
    if (numbers[slot]) {
      given_twice(cx, form.args[slot], spans[slot], span);
      return std::nullopt;
    }
    spans[slot] = span;
    const auto number = static_number(cx, argument.value, "`" + form.args[slot] + "`");
    if (!number) return std::nullopt;
    numbers[slot] = number->value();
  }
  std::vector<double> all;
  if (call.over || call.to || call.instance) return other_form;
  for (const auto& number : numbers) {
    if (!number) return other_form;
    all.push_back(*number);
  }
  return all;
}

/// Of a distribution with another number of arguments: what it may have been meant to be.
void help_with_form(const Context& cx, Diagnostic& d, const SampleForm& form,
                    const ast::Call& call) {
  const auto text = [&](std::size_t i) {
    return std::string(cx.session.sources.text(cx.expr(call.args[i].value).span));
  };
  const std::string name(form.name);
  const std::string first = call.args.empty() ? "" : text(0);
  const std::string size = first.starts_with('-') ? first.substr(1) : first;
  if (form.distribution == Distribution::uniform && call.args.size() == 1)
    d.help("both ends are given: `uniform(-" + size + ", " + size + ")`");
  else if (form.args.front() == "std" && call.args.size() == 2)
    d.help((text(0) == "0" ? "write `" + name + "(" + text(1) + ")`: its" : "its") +
           " mean is 0; another one is added to what it gives");
  else if (form.distribution == Distribution::integers && call.args.size() == 2)
    d.help((text(0) == "0" ? "write `integers(" + text(1) + ")`: they" : "they") +
           " begin at 0; another beginning is added to what it gives");
  else if (form.distribution == Distribution::uniform)
    d.help("for example `uniform(-1, 1)`");
  else
    d.help("for example `" + name +
           (form.args.front() == "std" ? "(0.02)`, whose mean is 0"
            : form.args.front() == "p" ? "(0.1)`, a probability"
                                       : "(10)`, from 0 to 9"));
}

}  // namespace

bool is_sample(std::string_view name) {
  const std::vector<std::string> names = distribution_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<SampleSpec> sample_spec(Context& cx, ast::ExprId id, bool initial) {
  const Span span = cx.expr(id).span;
  const auto* call = std::get_if<ast::Call>(&cx.expr(id).node);
  const std::string name = call ? call->callee.text : "";
  if (initial && (name == "fan_in" || name == "he" || name == "glorot"))
    return fan_spec(cx, *call, span);
  if (initial && name == "orthogonal") return orthogonal_spec(cx, *call, span);
  const SampleForm* form = nullptr;
  for (const SampleForm& f : sample_forms())
    if (f.name == name) form = &f;
  if (!form) {
    not_a_distribution(cx, call, span, initial);
    return std::nullopt;
  }
  const auto numbers = numbers_of(cx, *form, *call);
  if (!numbers) return std::nullopt;
  const bool fine = numbers->size() == form->args.size();
  std::string usage;
  for (const std::string& arg : form->args) usage += (usage.empty() ? "" : ", ") + arg;
  const double a = fine ? (*numbers)[0] : 0, b = fine && numbers->size() > 1 ? (*numbers)[1] : 0;
  const std::string wrong = fine ? wrong_numbers(form->distribution, a, b) : "";
  if (!fine || !wrong.empty()) {
    const std::string what =
        wrong.empty() ? ", not " + counted(call->args.size(), "argument") : ": " + wrong;
    Diagnostic d = diag(DiagKind::wrong_arguments, "`" + name + "` takes " + usage + what).at(span);
    if (!fine) help_with_form(cx, d, *form, *call);
    report(cx, std::move(d));
    return std::nullopt;
  }
  return SampleSpec{
      form->distribution, a, b, computed_type(cx, sampled_type(form->distribution)), {}, {}};
}

}  // namespace mtfc::elab
