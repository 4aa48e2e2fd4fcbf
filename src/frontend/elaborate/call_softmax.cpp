// Calls of softmax and cross entropy.
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/warn_products.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

Val call_softmax(Context& cx, const CallSite& site) {
  const std::string& name = site.call->callee.text;
  const Operand& o = site.args[0];
  const auto x = as_float(cx, o, "`" + name + "`");
  if (!x) return {};
  if (name == "logsumexp") {
    const auto reduced = reduced_dims(cx, site, cx.build.type(*x).dims);
    if (!reduced) return {};
    const ValueId result = build_at(cx, site.span).logsumexp(*x, *reduced);
    return {site.to ? build_at(cx, site.span).broadcast(result, *site.to) : result};
  }
  if (!require_dims(cx, o, *site.over, *site.call->over, "take " + name + " over")) return {};
  warn_same_values(cx, site, *x);
  return {name == "softmax" ? build_at(cx, site.span).softmax(*x, *site.over)
                            : build_at(cx, site.span).log_softmax(*x, *site.over)};
}

/// Of targets that stay a distribution, and a loss that stays one.
bool are_in_range(Context& cx, const CallSite& site, double smoothing, double z_loss) {
  const auto refuse = [&](const std::string& name, double value, const std::string& range) {
    report(cx, diag(DiagKind::wrong_setting, "`" + name + "` of `cross_entropy` must be " + range +
                                                 ", not " + shortest(value))
                   .at(site.find(name)->span));
    return false;
  };
  if (!(smoothing >= 0 && smoothing <= 1)) return refuse("smoothing", smoothing, "between 0 and 1");
  return z_loss >= 0 || refuse("z_loss", z_loss, "0 or more");
}

/// The target first: it is what the logits should be, the logits what it should.
bool are_exchanged(Context& cx, const Operand& logits, const Operand& target) {
  if (!logits.val.tensor() || !target.val.tensor()) return false;
  const TensorType x = type_of(cx, logits), t = type_of(cx, target);
  if (x.dtype != DType::i32 || !is_float(t.dtype) || !is_subset(x.dims, t.dims)) return false;
  report(cx,
         diag(DiagKind::type_mismatch, "`cross_entropy` takes the logits first, then the target")
             .at(logits.span, show(cx, logits.val))
             .also(target.span, show(cx, target.val))
             .help("exchange the two"));
  return true;
}

Val call_cross_entropy(Context& cx, const CallSite& site) {
  const Operand &logits = site.args[0], &target = site.args[1];
  if (are_exchanged(cx, logits, target)) return {};
  const auto x = as_float(cx, logits, "`cross_entropy`");
  auto t = as_tensor(cx, target);
  const auto smoothing = number_argument(cx, site, "smoothing", 0);
  const auto z_loss = number_argument(cx, site, "z_loss", 0);
  if (!x || !t || !smoothing || !z_loss) return {};
  if (!are_in_range(cx, site, *smoothing, *z_loss)) return {};
  if (!require_dims(cx, logits, *site.over, *site.call->over, "take cross entropy over")) return {};
  if (site.over->size() != 1) {
    report(cx, diag(DiagKind::wrong_list, "`cross_entropy` takes one dimension of classes")
                   .at(site.call->over->span));
    return {};
  }
  const DimId v = (*site.over)[0];
  const DType dtype = cx.build.type(*t).dtype;
  const bool has_v = contains(cx.build.type(*t).dims, v);
  if (dtype == DType::boolean || has_v != is_float(dtype)) {
    const bool is_int = dtype == DType::i32;
    Diagnostic d =
        diag(is_int || is_float(dtype) ? DiagKind::missing_dimension : DiagKind::type_mismatch,
             "the target of `cross_entropy` is neither int without `" + dim_names(cx, {v}) +
                 "` nor float with it")
            .at(target.span, show(cx, target.val))
            .note(
                "int targets are classes, one for each position; float targets are "
                "distributions over `" +
                dim_names(cx, {v}) + "`");
    if (is_float(dtype)) propose_int_input(cx, d, target.span);
    report(cx, std::move(d));
    return {};
  }
  const Number* number = target.val.number();
  const double last = static_cast<double>(cx.dims().size(v) - 1);
  if (number != nullptr && !(number->value() >= 0 && number->value() <= last)) {
    report(cx, diag(DiagKind::out_of_range,
                    "the target of `cross_entropy` is no place of `" + dim_names(cx, {v}) + "`")
                   .at(target.span, "places are 0 to " + shortest(last)));
    return {};
  }
  warn_same_values(cx, site, *x);
  if (has_v) t = build_at(cx, target.span).cast(*t, cx.build.type(*x).dtype);
  return {build_at(cx, site.span).cross_entropy(*x, *t, v, *smoothing, *z_loss)};
}

}  // namespace

std::vector<Builtin> softmax_calls() {
  using L = CallForm::List;
  return {
      {"softmax", call_form(1, 1, L::required, L::none), call_softmax},
      {"log_softmax", call_form(1, 1, L::required, L::none), call_softmax},
      {"logsumexp", call_form(1, 1, L::optional, L::optional), call_softmax},
      {"cross_entropy",
       call_form(2, 2, L::required, L::none, {{"smoothing", 0.0}, {"z_loss", 0.0}}),
       call_cross_entropy},
  };
}

}  // namespace mtfc::elab
