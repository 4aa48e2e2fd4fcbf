#include "layout/divisibility.h"

#include <cstdio>

#include "layout/named_tensors.h"
#include "layout/rules.h"
#include "support/rounding.h"

namespace mtfc::lowering {
namespace {

bool is_literal(const std::string& formula) {
  return formula.empty() || formula.find_first_not_of("0123456789") == formula.npos;
}

std::string size_label(const Dim& dim) {
  if (!dim.origin.empty()) return "size set by " + dim.origin;
  return is_literal(dim.formula) ? "size set here" : "size set here: " + dim.formula;
}

std::string padding_help(const Dim& dim, const Padding& better) {
  const std::string size = std::to_string(declared_size(dim, better.size));
  const std::string each =
      dim.microbatches > 1 ? " for each of " + std::to_string(dim.microbatches) + " micro-batches"
                           : "";
  const std::string reason =
      " (next multiple of " + better.multiple_of + each + "; +" + better.waste + ")";
  if (!dim.scope.empty()) return "change its size to " + size + reason;
  return "change its size: -D " + std::string(declared_name(dim)) + "=" + size + reason;
}

}  // namespace

std::int64_t declared_size(const Dim& dim, std::int64_t size) { return size * dim.microbatches; }

std::string per_cent(double share) {
  char text[32];
  const double value = 100 * share;
  std::snprintf(text, sizeof text, value < 1 ? "%.2f" : "%.1f", value);
  if (share <= 0) return "0 %";
  if (std::string_view(text) == "0.00") return "less than 0.01 %";
  return std::string(text) + " %";
}

std::string factorisation(std::int64_t size) {
  std::string factors;
  std::int64_t rest = size;
  const auto take = [&](std::int64_t prime) {
    factors += (factors.empty() ? "" : " * ") + std::to_string(prime);
    rest /= prime;
  };
  for (std::int64_t p = 2; p * p <= rest; ++p)
    while (rest % p == 0) take(p);
  const std::string whole = std::to_string(size);
  if (factors.empty()) return size == 1 ? "1 cannot be split" : whole + " is prime";
  if (rest > 1) take(rest);
  return whole + " = " + factors;
}

Padding padding(std::int64_t size, std::int64_t parts) {
  const std::int64_t generous = round_up(size, 16 * parts);
  const bool cheap = (generous - size) * 100 < size && generous <= largest_size;
  const std::int64_t padded = cheap ? generous : round_up(size, parts);
  const std::string of = std::to_string(parts) + (cheap ? " * 16" : "");
  return {padded, of, per_cent(static_cast<double>(padded - size) / static_cast<double>(size))};
}

Diagnostic not_divisible(const Dim& dim, const LayoutRule& rule, const Mesh& mesh,
                         const std::vector<AxisId>& axes, std::int64_t shards,
                         const std::vector<std::string>& tensors) {
  const std::int64_t here = mesh.size(axes);
  const std::string arithmetic =
      factorisation(dim.size) + "; remainder " + std::to_string(dim.size % here);
  Diagnostic d = diag(DiagKind::size_not_divisible,
                      "`" + dim.name + "` (" + std::to_string(dim.size) + ") cannot be split " +
                          std::to_string(here) + " ways over `" + to_string(mesh, axes) + "`")
                     .at(rule.span, arithmetic);
  const Span span = dim.size_span.valid() ? dim.size_span : dim.declared;
  if (span.valid()) d.labels.push_back({span, size_label(dim), false});
  if (!dim.scope.empty()) d.notes.push_back("`" + dim.name + "` belongs to `" + dim.scope + "`");
  if (!tensors.empty())
    d.notes.push_back("affects " +
                      (tensors.size() > 1 ? std::to_string(tensors.size()) + " tensors: " : "") +
                      list_names(tensors, 4));
  const Padding better = padding(dim.size, shards);
  if (declared_size(dim, better.size) <= largest_size) d.helps.push_back(padding_help(dim, better));
  d.helps.push_back("or remove the rule");
  if (rule.must_divide && better.size <= largest_size)
    d.helps.push_back("or let it be padded: without `!` and --strict");
  return d;
}

}  // namespace mtfc::lowering
