#include "frontend/elaborate/call_proposals.h"

#include <algorithm>

#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "support/did_you_mean.h"

namespace mtfc::elab {

namespace {

/// Whether it numbers the examples of an input.
bool numbers_examples(const Context& cx, DimId dim) {
  const std::vector<Input>& inputs = cx.session.model.inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](const Input& input) {
    return !input.type.dims.empty() && input.type.dims[0] == dim;
  });
}

Dims input_dims(const Context& cx, const CallSite& site) {
  return site.args.empty() ? Dims{} : dims_of(cx, site.args.front().val);
}

/// Of an input the last dimensions, but for that of the examples; else the block's own names.
std::string last_dims(const Context& cx, const ast::DimList& formals, const CallSite& site) {
  const std::size_t count = formals.items.size();
  const Dims all = input_dims(cx, site);
  Dims inner = all;
  std::erase_if(inner, [&](DimId dim) { return numbers_examples(cx, dim); });
  const Dims& dims = inner.size() < count ? all : inner;
  if (dims.size() < count) return formal_names(formals);
  return dim_names(cx, Dims(dims.end() - static_cast<std::ptrdiff_t>(count), dims.end()));
}

/// The arguments of a call, and which of them are dimensions that belong in its lists.
struct Sorted {
  std::string arguments;
  std::vector<std::string> over, to;
};

/// Behind what the block must have, `dense(x, d, k)` names dimensions as other languages do.
Sorted sort_arguments(Context& cx, const ast::BlockDecl& block, const CallSite& site) {
  const auto needed = std::count_if(
      block.formals.begin(), block.formals.end(),
      [](const ast::Formal& formal) { return !formal.is_dim && !formal.default_value; });
  const std::vector<std::string> visible = visible_names(cx, true);
  const Dims input = input_dims(cx, site);
  Sorted sorted;
  std::ptrdiff_t at = 0;
  for (const ast::Argument& argument : site.call->args) {
    const Span value = cx.expr(argument.value).span;
    const std::string text(cx.session.sources.text(value));
    const bool loose = !argument.name && at++ >= needed;
    if (loose && std::find(visible.begin(), visible.end(), text) != visible.end()) {
      const bool read = std::any_of(input.begin(), input.end(),
                                    [&](DimId dim) { return cx.dims()[dim].name == text; });
      const bool again =
          std::find(sorted.over.begin(), sorted.over.end(), text) != sorted.over.end();
      (block.over && (!block.to || (read && !again)) ? sorted.over : sorted.to).push_back(text);
      continue;
    }
    const Span whole = argument.name ? join(argument.name->span, value) : value;
    sorted.arguments +=
        (sorted.arguments.empty() ? "" : ", ") + std::string(cx.session.sources.text(whole));
  }
  if (block.to && sorted.to.empty() && sorted.over.size() > 1) {
    sorted.to.push_back(sorted.over.back());
    sorted.over.pop_back();
  }
  return sorted;
}

/// A list as the call has it, of dimensions among its arguments, or `otherwise`.
std::string list_text(Context& cx, const ast::DimList& formals,
                      const std::optional<ast::DimList>& given,
                      const std::vector<std::string>& sorted, const std::string& otherwise) {
  if (given) return std::string(cx.session.sources.text(given->span));
  const std::size_t wanted = formals.items.size();
  return sorted.empty() || (wanted != 1 && wanted != sorted.size()) ? otherwise
                                                                    : mtfc::joined(sorted, ", ");
}

/// What a block does with one of its dimensions.
enum class DimRole { made, read, unknown };

bool is_listed(const std::optional<ast::DimList>& list, const std::string& name) {
  return list && std::any_of(list->items.begin(), list->items.end(),
                             [&](const ast::DimItem& item) { return item.name.text == name; });
}

bool is_viewed(const ast::View& view, const std::string& name) {
  return std::any_of(view.items.begin(), view.items.end(), [&](const ast::ViewItem& item) {
    if (const auto* rename = std::get_if<ast::RenameItem>(&item.item))
      return std::any_of(rename->from.begin(), rename->from.end(),
                         [&](const ast::Name& from) { return from.text == name; });
    const auto* index = std::get_if<ast::IndexItem>(&item.item);
    const ast::Name& dim = index ? index->dim : std::get<ast::SliceItem>(item.item).dim;
    return dim.text == name;
  });
}

/// `param w[d, hidden]` and `-> hidden` make a dimension; `over kv` and `m[kv -> e]` read one.
DimRole role_of(const ast::BlockDecl& block, const ast::File& file, const std::string& name) {
  if (block.body.empty()) return DimRole::unknown;
  const Span body = join(file.at(block.body.front()).span, file.at(block.body.back()).span);
  const auto inside = [&](Span span) { return body.begin <= span.begin && span.end <= body.end; };
  for (const ast::Statement& statement : file.statements)
    if (const auto* param = std::get_if<ast::ParamDecl>(&statement.node);
        param && inside(statement.span) && is_listed(param->shape, name))
      return DimRole::made;
  DimRole role = DimRole::unknown;
  for (const ast::Expr& expr : file.exprs) {
    if (!inside(expr.span)) continue;
    const auto* call = std::get_if<ast::Call>(&expr.node);
    const auto* view = std::get_if<ast::View>(&expr.node);
    if (call && is_listed(call->to, name)) return DimRole::made;
    if ((call && is_listed(call->over, name)) || (view && is_viewed(*view, name)))
      role = DimRole::read;
  }
  return role;
}

/// Dimensions of the arguments that the call says nothing else of; those alone that the first
/// argument lacks, whose own are those that the block's lists name.
std::vector<std::string> free_dims(Context& cx, const ast::BlockDecl& block, const CallSite& site) {
  std::vector<std::string> taken;
  for (const ast::Formal& formal : block.formals)
    if (formal.is_dim) taken.push_back(formal.name.text);
  Dims dims;
  const auto add = [&](const Val& val) {
    const Dims fresh = without(dims_of(cx, val), dims);
    dims.insert(dims.end(), fresh.begin(), fresh.end());
  };
  for (const Operand& operand : site.args) add(operand.val);
  for (const auto& [name, operand] : site.named) add(operand.val);
  for (const ast::Argument& argument : site.call->args)
    if (argument.name) taken.emplace_back(cx.session.sources.text(cx.expr(argument.value).span));
  dims = without(without(dims, site.over.value_or(Dims{})), site.to.value_or(Dims{}));
  std::erase_if(dims, [&](DimId dim) {
    return numbers_examples(cx, dim) ||
           std::find(taken.begin(), taken.end(), cx.dims()[dim].name) != taken.end();
  });
  const Dims own = without(dims, input_dims(cx, site));
  std::vector<std::string> list;
  for (const DimId dim : own.empty() ? dims : own) list.push_back(cx.dims()[dim].name);
  return list;
}

}  // namespace

std::string formal_names(const ast::DimList& list) {
  return mtfc::joined(
      list.items, ", ", [](const ast::DimItem& item) -> const auto& { return item.name.text; });
}

std::string propose_lists(Context& cx, const ast::BlockDecl& block, const CallSite& site,
                          const std::string& missing) {
  constexpr std::size_t longest = 50;
  const Sorted sorted = sort_arguments(cx, block, site);
  const std::string text(cx.session.sources.text(site.span));
  std::string call = text.substr(0, text.find('(') + 1) +
                     (sorted.arguments.size() > longest ? "..." : sorted.arguments);
  if (block.over)
    call += " over " + list_text(cx, *block.over, site.call->over, sorted.over,
                                 last_dims(cx, *block.over, site));
  if (block.to)
    call += " -> " + list_text(cx, *block.to, site.call->to, sorted.to, formal_names(*block.to));
  call = "`" + call + ")`";
  if (!sorted.over.empty() || !sorted.to.empty())
    return "dimensions are listed after the arguments: " + call;
  const ast::DimList& formals = missing == "over" ? *block.over : *block.to;
  return (formals.items.size() == 1 ? "name a dimension of the " : "name the dimensions of the ") +
         std::string(missing == "->" ? "result: " : "input: ") + call;
}

std::string propose_dimension(Context& cx, const ast::BlockDecl& block, const ast::File& of_block,
                              const ast::Formal& formal, const CallSite& site) {
  const std::string& name = formal.name.text;
  const std::string passed = "`" + name + "=";
  const DimRole role = role_of(block, of_block, name);
  const std::vector<std::string> candidates =
      role == DimRole::read ? free_dims(cx, block, site) : visible_names(cx, true);
  const std::vector<std::string> near = did_you_mean(name, candidates);
  if (const std::string* one = sole(near); one && is_mistyped(name, *one))
    return "there is `" + *one + "`: rename it, or pass one: " + passed + *one + "`";
  if (role == DimRole::made)
    return "the block makes this dimension: write `dim " + name + " = ...`, or pass another, " +
           passed + "...`";
  if (role == DimRole::unknown) return "pass a dimension: " + passed + "...`";
  const std::string what = "it is a dimension of the arguments";
  if (candidates.empty()) return what + ": " + passed + "...`";
  const std::string* nearest = sole(near);
  return what + (candidates.size() == 1 ? "" : ", " + series(candidates, "or")) + ": " + passed +
         (nearest ? *nearest : candidates.front()) + "`";
}

}  // namespace mtfc::elab
