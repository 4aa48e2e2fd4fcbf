#include "cli/run/budget.h"

#include <algorithm>

#include "cli/options/exit_status.h"
#include "ir/quantity.h"
#include "support/did_you_mean.h"
#include "support/figures.h"
#include "support/text.h"

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
      return wrong(backquoted(text_.substr(begin, end - begin), 40) + " is not a valid limit", span,
                   form);
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
    const std::vector<std::string> names = names_of(budget_rows);
    return wrong("no budget is called " + backquoted(name, 40), span,
                 suggested(name, names, "there are " + joined(names, ", ")));
  }

  Session& session_;
  const std::string& text_;
  FileId file_;
  std::vector<BudgetLimit> limits_;
};

double amount_of(const BudgetLimit& limit, const Spent& spent) {
  if (limit.name == "step") return spent.step;
  return limit.name == "memory" ? static_cast<double>(spent.memory.bytes) : spent.sent;
}

std::string to_json(const std::vector<BudgetLimit>& limits, const Spent& spent) {
  std::vector<std::string> items;
  for (const BudgetLimit& limit : limits) {
    const double amount = amount_of(limit, spent);
    items.push_back(json_object({{"name", json(limit.name)},
                                 {"limit", json(limit.most)},
                                 {"amount", json(amount)},
                                 {"ok", json(amount <= limit.most)}}));
  }
  return json_array(items);
}

}  // namespace

std::optional<std::vector<BudgetLimit>> read_budget(Session& session) {
  if (session.options.budget.empty()) return std::vector<BudgetLimit>{};
  return BudgetReader(session, session.options.budget).run();
}

bool can_judge(Session& session, const std::vector<BudgetLimit>& limits, bool has_machine) {
  const bool of_step = std::any_of(limits.begin(), limits.end(),
                                   [](const BudgetLimit& limit) { return limit.name == "step"; });
  if (has_machine || !of_step) return true;
  session.usage_error("a budget of `step` needs a machine",
                      "name one by --hardware or in the layout: `hardware h100`");
  return false;
}

int judge_budget(Session& session, const std::vector<BudgetLimit>& limits, const Spent& spent,
                 JsonFields& fields) {
  if (limits.empty()) return exit_done;
  fields.emplace_back("budget", to_json(limits, spent));
  int status = exit_done;
  for (const BudgetLimit& limit : limits) {
    const double amount = amount_of(limit, spent);
    if (amount <= limit.most) continue;
    status = exit_over_budget;
    const auto text = [&](double value) {
      return limit.name == "step" ? duration(value) : scaled(value, "B");
    };
    const std::string when =
        limit.name != "memory" || spent.memory.when.empty() ? "" : " " + spent.memory.when;
    session.report(diag(DiagKind::over_budget, "`" + limit.name + "` is " + text(amount) + when +
                                                   ", " + text(amount - limit.most) +
                                                   " over its budget of " + limit.text)
                       .at(limit.span));
  }
  return status;
}

}  // namespace mtfc::cli
