#include "frontend/elaborate/note_symbols.h"

#include "frontend/elaborate/report.h"

namespace mtfc::elab {

namespace {

Symbol::Kind symbol_kind(Binding::Kind kind) {
  using B = Binding::Kind;
  switch (kind) {
    case B::tensor:
      return Symbol::Kind::value;
    case B::argument:
      return Symbol::Kind::argument;
    case B::dim:
      return Symbol::Kind::dimension;
    case B::constant:
      return Symbol::Kind::constant;
    case B::input:
      return Symbol::Kind::input;
    case B::parameter:
      return Symbol::Kind::parameter;
    case B::state:
      return Symbol::Kind::state;
    case B::data:
      return Symbol::Kind::data;
    case B::counter:
      return Symbol::Kind::counter;
  }
  return Symbol::Kind::value;
}

/// "f32[batch, io]", "64", "[rows, columns]" of a formal list; empty if it has no type.
std::string type_text(const Context& cx, const Binding& binding) {
  if (binding.kind == Binding::Kind::dim) {
    if (binding.dims.empty()) return "";
    if (binding.dims.size() > 1) return show(cx, binding.dims);
    return std::to_string(cx.dims().size(binding.dims[0]));
  }
  if (const ValueId* id = binding.val.tensor()) return show(cx, *id);
  if (const Number* number = binding.val.number()) return to_string(*number);
  if (const bool* flag = binding.val.boolean()) return *flag ? "true" : "false";
  if (const std::string* text = binding.val.text()) return "\"" + *text + "\"";
  return "";
}

Span origin(const Binding& binding) {
  return binding.first.valid() ? binding.first : binding.declared;
}

}  // namespace

void note_binding(Context& cx, const std::string& name, const Binding& binding,
                  const std::string& path) {
  SymbolRecorder* symbols = cx.session.symbols;
  if (!symbols) return;
  symbols->declare(symbol_kind(binding.kind), name, origin(binding));
  symbols->instance(origin(binding), path, type_text(cx, binding));
}

void note_use(Context& cx, const Binding& binding, Span use) { note_use(cx, origin(binding), use); }

void note_use(Context& cx, Span declared, Span use) {
  if (SymbolRecorder* symbols = cx.session.symbols) symbols->use(declared, use);
}

void note_name(Context& cx, Symbol::Kind kind, const ast::Name& name, const std::string& path) {
  SymbolRecorder* symbols = cx.session.symbols;
  if (!symbols) return;
  symbols->declare(kind, name.text, name.span);
  symbols->instance(name.span, path, "");
}

void note_implied(Context& cx, const Binding& dim, Span call) {
  if (SymbolRecorder* symbols = cx.session.symbols) symbols->imply(origin(dim), call);
}

namespace {

/// `nn` in `"lib/nn.mtf"`: what calls name.
Span name_in_path(const std::string& name, Span path) {
  constexpr std::string_view behind = ".mtf\"";
  if (path.end - path.begin < name.size() + behind.size()) return path;
  const auto end = path.end - static_cast<std::uint32_t>(behind.size());
  return {path.file, end - static_cast<std::uint32_t>(name.size()), end};
}

}  // namespace

void note_file_use(Context& cx, const Module& user, const Module& used, Span use) {
  const auto found = user.use_spans.find(&used);
  if (found != user.use_spans.end()) note_use(cx, name_in_path(used.name, found->second), use);
}

void note_files(Session& session) {
  SymbolRecorder* symbols = session.symbols;
  if (!symbols) return;
  for (const Module& module : session.modules) {
    for (const auto& [used, span] : module.use_spans)
      symbols->declare(Symbol::Kind::file, used->name, name_in_path(used->name, span));
    for (const auto& [name, id] : module.blocks) {
      const auto& block = std::get<ast::BlockDecl>(module.file.at(id).node);
      symbols->declare(Symbol::Kind::block, name, block.name.span);
      for (const ast::Formal& formal : block.formals)
        symbols->declare(formal.is_dim ? Symbol::Kind::dimension : Symbol::Kind::argument,
                         formal.name.text, formal.name.span);
      for (const auto* list : {&block.over, &block.to})
        for (const ast::DimItem& item : *list ? (*list)->items : std::vector<ast::DimItem>{})
          symbols->declare(Symbol::Kind::dimension, item.name.text, item.name.span);
    }
  }
}

}  // namespace mtfc::elab
