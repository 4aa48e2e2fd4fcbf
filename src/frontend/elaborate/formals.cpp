// What a block's formals stand for: lists, dimensions by parameter, arguments, patterns.
#include <algorithm>

#include "frontend/elaborate/blocks.h"
#include "frontend/elaborate/call_proposals.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

Binding dim_binding(Span declared, Dims dims) {
  Binding binding;
  binding.kind = Binding::Kind::dim;
  binding.declared = declared;
  binding.dims = std::move(dims);
  return binding;
}

/// A formal stands for something in its instance.
void bind_formal(Context& cx, const ast::Name& formal, Binding binding, Scope& scope) {
  note_binding(cx, formal.text, binding, joined(scope.path, formal.text));
  scope.names[formal.text] = std::move(binding);
}

bool bind_list(Context& cx, const std::optional<ast::DimList>& formals,
               const std::optional<Dims>& actual, const std::string& word,
               const ast::BlockDecl& block, const CallSite& site, Scope& scope) {
  if (!formals && !actual) return true;
  const std::string name = "block `" + block.name.text + "`";
  const Span callee = site.call->callee.span;
  if (!formals || !actual) {
    Diagnostic d = diag(DiagKind::wrong_list, formals ? name + " needs a list `" + word + " " +
                                                            formal_names(*formals) + "`"
                                                      : name + " takes no `" + word + "` list")
                       .at(callee);
    d.labels.push_back({block.name.span, "declared here", false});
    if (formals) d.helps.push_back(propose_lists(cx, block, site, word));
    report(cx, std::move(d));
    return false;
  }
  const std::size_t wanted = formals->items.size();
  if (wanted != 1 && wanted != actual->size()) {
    report(cx, diag(DiagKind::wrong_list, name + " takes " + std::to_string(wanted) +
                                              " dimensions after `" + word + "`, not " +
                                              std::to_string(actual->size()))
                   .at(word == "over" ? site.call->over->span : site.call->to->span,
                       dim_names(cx, *actual))
                   .also(formals->span, "one for each of these"));
    return false;
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    const ast::Name& formal = formals->items[i].name;
    Dims dims = wanted == 1 ? *actual : Dims{(*actual)[i]};
    bind_formal(cx, formal, dim_binding(formal.span, std::move(dims)), scope);
  }
  return true;
}

/// `dim kv`: passed by name, or the visible dimension of that name, or the default.
bool bind_dim_formal(Context& cx, const ast::Formal& formal, const CallSite& site, Frame& frame,
                     const Cursor& caller) {
  const ast::Call& call = *site.call;
  std::optional<Dims> dims;
  {
    const ast::Argument* passed = nullptr;
    for (const ast::Argument& a : call.args)
      if (a.name && a.name->text == formal.name.text) passed = &a;
    At outside(cx, passed || !formal.default_value ? caller : cx.now);
    ast::ExprId source = passed ? passed->value : formal.default_value.value_or(ast::ExprId{});
    const bool by_name = !passed && !formal.default_value;
    const auto* ref = by_name ? nullptr : std::get_if<ast::NameRef>(&cx.expr(source).node);
    if (by_name) {
      const ast::Name same{formal.name.text, call.callee.span};
      const Binding* visible = find_binding(cx, same.text, same.span);
      if (!visible || visible->kind != Binding::Kind::dim) {
        report(
            cx,
            diag(DiagKind::wrong_arguments, "block `" + frame.block->name.text +
                                                "` needs the dimension `" + formal.name.text + "`")
                .at(call.callee.span, "not passed, and no dimension of that name is visible")
                .also(formal.name.span, "declared here")
                .help(propose_dimension(cx, *frame.block, frame.root->module->file, formal, site)));
        return false;
      }
      note_implied(cx, *visible, call.callee.span);
      dims = dims_named(cx, same);
    } else if (ref) {
      dims = dims_named(cx, ref->name);
    } else {
      report(cx, diag(DiagKind::wrong_arguments,
                      "`" + formal.name.text + "` must be the name of a dimension")
                     .at(cx.expr(source).span)
                     .also(formal.name.span, "a dimension by parameter"));
      return false;
    }
  }
  if (!dims) return false;
  bind_formal(cx, formal.name, dim_binding(formal.name.span, *dims), *frame.root);
  return true;
}

/// `x[..., d]`: the dimensions named must be there; without `...` no others.
bool check_pattern(Context& cx, const ast::Formal& formal, const Operand& value,
                   const Frame& frame) {
  if (!formal.pattern) return true;
  ast::DimList named = *formal.pattern;
  bool open = false;
  named.items.clear();
  for (const ast::DimItem& item : formal.pattern->items) {
    if (item.kind == ast::DimItem::Kind::ellipsis)
      open = true;
    else
      named.items.push_back(item);
  }
  const auto wanted = dim_list(cx, named);
  if (!wanted) return false;
  const Dims& have = dims_of(cx, value.val);
  const Dims missing = without(*wanted, have);
  const Dims extra = open ? Dims{} : without(have, *wanted);
  if (missing.empty() && extra.empty()) return true;
  Diagnostic d = diag(DiagKind::pattern_mismatch, "argument `" + formal.name.text + "` of block `" +
                                                      frame.block->name.text +
                                                      "` has other dimensions than its pattern")
                     .at(value.span, show(cx, have))
                     .also(formal.pattern->span, "the pattern");
  if (!missing.empty()) d.notes.push_back("missing `" + dim_names(cx, missing) + "`");
  if (!extra.empty()) d.notes.push_back("extra `" + dim_names(cx, extra) + "`");
  report(cx, std::move(d));
  return false;
}

bool bind_value(Context& cx, const ast::Formal& formal, Operand value, Frame& frame) {
  if (value.val.poison()) return false;
  if (formal.dtype) {
    const auto dtype = declared_type(cx, formal.dtype);
    if (!dtype) return false;
    value = as_written(cx, value, *dtype);
    const auto id = value.val.tensor() ? value.val.tensor() : nullptr;
    if (id && cx.build.type(*id).dtype != *dtype) {
      report(cx, diag(DiagKind::pattern_mismatch, "argument `" + formal.name.text + "` is " +
                                                      std::string(name(cx.build.type(*id).dtype)) +
                                                      ", not " + std::string(name(*dtype)))
                     .at(value.span, show(cx, value.val))
                     .also(formal.dtype->span, "declared here"));
      return false;
    }
    if (!id && !value.val.tensor()) {
      const auto made = as_tensor(cx, value, *dtype);
      if (!made) return false;
      value.val = {*made};
    }
  }
  if (!check_pattern(cx, formal, value, frame)) return false;
  Binding binding;
  binding.kind = Binding::Kind::argument;
  binding.declared = formal.name.span;
  binding.val = value.val;
  bind_formal(cx, formal.name, std::move(binding), *frame.root);
  return true;
}

void note_named_arguments(Context& cx, const ast::BlockDecl& block, const ast::Call& call) {
  for (const ast::Argument& argument : call.args)
    for (const ast::Formal& formal : block.formals)
      if (argument.name && argument.name->text == formal.name.text)
        note_use(cx, formal.name.span, argument.name->span);
}

/// Of the positional arguments `taken` found a formal, of the named ones those in `passed`.
bool check_all_taken(Context& cx, const ast::BlockDecl& block, const CallSite& site,
                     std::size_t taken, const std::set<std::string>& passed,
                     const std::vector<const ast::Formal*>& missing) {
  bool fine = true;
  if (taken < site.args.size()) {
    report(cx, diag(DiagKind::wrong_arguments,
                    "block `" + block.name.text + "` takes " +
                        counted(static_cast<double>(taken), "positional argument") + " here, not " +
                        std::to_string(site.args.size()))
                   .at(site.args[taken].span, "one too many")
                   .also(block.name.span, "declared here"));
    fine = false;
  }
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name || passed.count(argument.name->text)) continue;
    Diagnostic d =
        diag(DiagKind::wrong_arguments,
             "block `" + block.name.text + "` has no argument `" + argument.name->text + "`")
            .at(argument.name->span)
            .also(block.name.span, "declared here");
    suggest(d, *argument.name, {passed.begin(), passed.end()});
    if (d.helps.empty() && missing.size() == 1)
      d.help("`" + missing[0]->name.text + "` is not given: did you mean it?")
          .fix(argument.name->span, missing[0]->name.text);
    report(cx, std::move(d));
    fine = false;
  }
  return fine;
}

}  // namespace

bool bind_lists(Context& cx, const ast::BlockDecl& block, const CallSite& site, Scope& scope) {
  // An argument list with a mistake of its own was reported; the form is not checked further.
  if ((site.call->over && !site.over) || (site.call->to && !site.to)) return false;
  // Primed formals become aliases where the dimension is in the other list too.
  std::optional<Dims> over = site.over;
  if (over && site.to && block.over) {
    const auto& formals = block.over->items;
    for (std::size_t i = 0; i < over->size(); ++i) {
      const std::size_t f = formals.size() == 1 ? 0 : std::min(i, formals.size() - 1);
      const bool primed = formals[f].name.text.back() == '\'';
      if (primed && contains(*site.to, (*over)[i])) (*over)[i] = cx.session.alias((*over)[i]);
    }
  }
  return bind_list(cx, block.over, over, "over", block, site, scope) &&
         bind_list(cx, block.to, site.to, "->", block, site, scope);
}

bool rename_to_aliases(Context& cx, const ast::BlockDecl& block, CallSite& site, Scope& scope) {
  if (!block.over || !site.over) return true;
  Dims bound;
  for (const ast::DimItem& item : block.over->items) {
    const Dims& dims = scope.names[item.name.text].dims;
    bound.insert(bound.end(), dims.begin(), dims.end());
  }
  std::vector<Operand*> operands;
  for (Operand& o : site.args) operands.push_back(&o);
  for (auto& [name, o] : site.named) operands.push_back(&o);
  for (Operand* o : operands) {
    if (!o->val.tensor()) continue;
    std::vector<DimGroup> groups;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const DimId before = (*site.over)[i];
      const Dims& have = dims_of(cx, o->val);
      if (before == bound[i] || !contains(have, before)) continue;
      if (contains(have, bound[i])) {
        report(cx, diag(DiagKind::repeated_dimension, quoted_source(cx, o->span) + " has `" +
                                                          dim_names(cx, {bound[i]}) + "` already")
                       .at(o->span, show(cx, o->val))
                       .note("block `" + block.name.text + "` reads `" + dim_names(cx, {before}) +
                             "` under that name, because it also makes `" +
                             dim_names(cx, {before}) + "`")
                       .help("rename the dimension before the call"));
        return false;
      }
      groups.push_back({{before}, {bound[i]}});
    }
    if (!groups.empty()) o->val = {build_at(cx, o->span).view(*o->val.tensor(), groups)};
  }
  return true;
}

bool bind_arguments(Context& cx, const ast::BlockDecl& block, CallSite& site, Frame& frame) {
  const Cursor caller = cx.now;
  note_named_arguments(cx, block, *site.call);
  At inside(cx, {&frame.root->module->file, frame.root, nullptr});
  std::size_t next = 0;
  std::set<std::string> passed;
  std::vector<const ast::Formal*> missing;
  bool fine = true;
  for (const ast::Formal& formal : block.formals) {
    if (!formal.is_dim) continue;
    fine = bind_dim_formal(cx, formal, site, frame, caller) && fine;
    passed.insert(formal.name.text);
  }
  for (const ast::Formal& formal : block.formals) {
    if (formal.is_dim) continue;
    const Operand* value = site.find(formal.name.text);
    passed.insert(formal.name.text);
    if (next < site.args.size() && !value) {
      fine = bind_value(cx, formal, site.args[next++], frame) && fine;
    } else if (value) {
      fine = bind_value(cx, formal, *value, frame) && fine;
    } else if (formal.default_value) {
      fine = bind_value(cx, formal, eval_operand(cx, *formal.default_value), frame) && fine;
    } else {
      At outside(cx, caller);
      fine = false;
      missing.push_back(&formal);
    }
  }
  At outside(cx, caller);
  // A name that is not known was probably meant for the one that is missing.
  if (!check_all_taken(cx, block, site, next, passed, missing)) return false;
  for (const ast::Formal* formal : missing)
    report(cx, diag(DiagKind::wrong_arguments,
                    "block `" + block.name.text + "` needs argument `" + formal->name.text + "`")
                   .at(site.call->callee.span, "not given")
                   .also(formal->name.span, "declared here"));
  return fine;
}

}  // namespace mtfc::elab
