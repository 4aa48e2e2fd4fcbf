#include "cli/budget.h"

#include <algorithm>

#include "cli/prediction_text.h"
#include "support/figures.h"
#include "support/quantity.h"
#include "support/render.h"

namespace mtfc::cli {
namespace {

struct BudgetRow {
  const char* name;
  Quantity::Kind kind;
};
constexpr BudgetRow budget_rows[] = {{"memory", Quantity::Kind::bytes},
                                     {"sent", Quantity::Kind::bytes},
                                     {"step", Quantity::Kind::seconds}};

/// Reads "memory<=16GB" and what follows it.
class BudgetReader {
 public:
  BudgetReader(Session& session, const std::string& text)
      : session_(session), text_(text), file_(session.add_fragment("--budget", text)) {}

  std::optional<std::vector<BudgetLimit>> run() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find_first_of(",;", begin), text_.size());
      if (!limit(begin, end)) return std::nullopt;
      begin = end + 1;
    }
    return limits_;
  }

 private:
  bool wrong(const std::string& message, Span span, const std::string& help) {
    session_.report(diag(DiagKind::wrong_usage, message).at(span).help(help));
    return false;
  }

  std::string without_blanks(std::size_t& begin, std::size_t& end) const {
    while (begin < end && text_[begin] == ' ') ++begin;
    while (end > begin && text_[end - 1] == ' ') --end;
    return text_.substr(begin, end - begin);
  }

  bool limit(std::size_t begin, std::size_t end) {
    without_blanks(begin, end);
    const Span span{file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    const std::size_t sign = text_.substr(0, end).find("<=", begin);
    const std::string form = "a budget is written `memory<=16GB, sent<=2GB, step<=300ms`";
    if (sign == std::string::npos)
      return wrong(backquoted(text_.substr(begin, end - begin), 40) + " is no limit", span, form);
    std::size_t name_end = sign, value = sign + 2;
    const std::string name = without_blanks(begin, name_end), amount = without_blanks(value, end);
    const auto row = std::find_if(std::begin(budget_rows), std::end(budget_rows),
                                  [&](const BudgetRow& r) { return r.name == name; });
    if (row == std::end(budget_rows)) return unknown(name, span);
    const std::optional<Quantity> most = read_quantity(amount);
    if (!most || most->kind != row->kind)
      return wrong("`" + name + "` is limited like `" + name +
                       "<=" + (row->kind == Quantity::Kind::bytes ? "16GB" : "300ms") +
                       "`, not by " + backquoted(amount, 40),
                   span, form);
    for (const BudgetLimit& other : limits_)
      if (other.name == name) return wrong("`" + name + "` has two limits", span, form);
    limits_.push_back({name, most->value, amount, span});
    return true;
  }

  bool unknown(const std::string& name, Span span) {
    std::vector<std::string> names;
    for (const BudgetRow& row : budget_rows) names.emplace_back(row.name);
    const std::vector<std::string> near = did_you_mean(name, names);
    return wrong(
        "no budget is called " + backquoted(name, 40), span,
        near.empty() ? "there are " + joined(names, ", ") : "did you mean `" + near.front() + "`?");
  }

  Session& session_;
  const std::string& text_;
  FileId file_;
  std::vector<BudgetLimit> limits_;
};

double amount_of(const BudgetLimit& limit, const backends::Cost& cost,
                 const predict::Prediction* prediction) {
  if (limit.name == "step") return prediction->step;
  if (limit.name == "memory") return static_cast<double>(cost.memory_per_processor());
  return static_cast<double>(cost.sent_per_processor());
}

}  // namespace

std::optional<std::vector<BudgetLimit>> read_budget(Session& session) {
  if (session.options.budget.empty()) return std::vector<BudgetLimit>{};
  return BudgetReader(session, session.options.budget).run();
}

bool limits_step(const std::vector<BudgetLimit>& limits) {
  return std::any_of(limits.begin(), limits.end(),
                     [](const BudgetLimit& limit) { return limit.name == "step"; });
}

std::string budget_json(const std::vector<BudgetLimit>& limits, const backends::Cost& cost,
                        const predict::Prediction* prediction) {
  std::vector<std::string> items;
  for (const BudgetLimit& limit : limits) {
    const double amount = amount_of(limit, cost, prediction);
    items.push_back(json_object({{"name", json(limit.name)},
                                 {"limit", json(limit.most)},
                                 {"amount", json(amount)},
                                 {"ok", json(amount <= limit.most)}}));
  }
  return json_array(items);
}

bool within_budget(Session& session, const std::vector<BudgetLimit>& limits,
                   const backends::Cost& cost, const predict::Prediction* prediction) {
  bool within = true;
  for (const BudgetLimit& limit : limits) {
    const double amount = amount_of(limit, cost, prediction);
    if (amount <= limit.most) continue;
    within = false;
    const auto text = [&](double value) {
      return limit.name == "step" ? duration(value) : scaled(value, "B");
    };
    session.report(diag(DiagKind::over_budget, "`" + limit.name + "` is " + text(amount) + ", " +
                                                   text(amount - limit.most) +
                                                   " over its budget of " + limit.text)
                       .at(limit.span));
  }
  return within;
}

}  // namespace mtfc::cli
