// Statements whose parts map one to one.
#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {

ast::StatementId Builder::plain_statement(Rule* context) {
  ast::Statement made{plain_node(context), span(context), span(context->start)};
  return add(std::move(made));
}

Builder::Node Builder::plain_node(Rule* rule) {
  switch (rule->getRuleIndex()) {
    case Parser::RuleUseStmt:
      return use(static_cast<Parser::UseStmtContext*>(rule));
    case Parser::RuleDimStmt:
      return ast::DimDecl{sized(static_cast<Parser::DimStmtContext*>(rule)->sized())};
    case Parser::RuleConstStmt:
      return ast::ConstDecl{sized(static_cast<Parser::ConstStmtContext*>(rule)->sized())};
    case Parser::RuleDataStmt:
      return data(static_cast<Parser::DataStmtContext*>(rule));
    case Parser::RuleInputStmt:
      return input(static_cast<Parser::InputStmtContext*>(rule));
    case Parser::RuleParamStmt:
      return param(static_cast<Parser::ParamStmtContext*>(rule));
    case Parser::RuleStateStmt:
      return state(static_cast<Parser::StateStmtContext*>(rule));
    case Parser::RuleUpdateStmt:
      return update(static_cast<Parser::UpdateStmtContext*>(rule));
    case Parser::RuleInstanceStmt:
      return instance(static_cast<Parser::InstanceStmtContext*>(rule));
    case Parser::RuleReturnStmt:
      return returned(static_cast<Parser::ReturnStmtContext*>(rule));
    case Parser::RuleRecomputeStmt:
      return ast::Recompute{body(static_cast<Parser::RecomputeStmtContext*>(rule)->body())};
    case Parser::RuleMetricStmt:
      return metric(static_cast<Parser::MetricStmtContext*>(rule));
    case Parser::RuleGenerateStmt:
      return generate(static_cast<Parser::GenerateStmtContext*>(rule));
    default:
      return ast::Train{settings(static_cast<Parser::TrainStmtContext*>(rule)->settings())};
  }
}

ast::Use Builder::use(Parser::UseStmtContext* context) {
  const antlr4::Token* path = context->STRING()->getSymbol();
  return {string(path).value, span(path)};
}

std::vector<ast::Sized> Builder::sized(const std::vector<Parser::SizedContext*>& list) {
  std::vector<ast::Sized> found;
  for (Parser::SizedContext* one : list) found.push_back({name(one->name()), expr(one->expr())});
  return found;
}

ast::DataDecl Builder::data(Parser::DataStmtContext* context) {
  return {name(context->name()), expr(context->expr())};
}

ast::InputDecl Builder::input(Parser::InputStmtContext* context) {
  return {target(context->name(), context->shape(), context->dtype()), expr(context->expr())};
}

ast::ParamDecl Builder::param(Parser::ParamStmtContext* context) {
  ast::ParamDecl param;
  for (Parser::NameContext* one : context->name()) param.names.push_back(name(one));
  param.shape = shape(context->shape());
  param.dtype = dtype(context->dtype());
  param.sampled = context->TILDE() != nullptr;
  param.init = expr(context->expr());
  return param;
}

ast::StateDecl Builder::state(Parser::StateStmtContext* context) {
  return {target(context->name(), context->shape(), context->dtype()), context->TILDE() != nullptr,
          expr(context->expr())};
}

ast::Update Builder::update(Parser::UpdateStmtContext* context) {
  return {name(context->name()), expr(context->expr())};
}

ast::InstanceDecl Builder::instance(Parser::InstanceStmtContext* context) {
  return {name(context->name(0)), name(context->name(1)), name(context->anyName())};
}

ast::Return Builder::returned(Parser::ReturnStmtContext* context) {
  ast::Return found;
  for (Parser::ExprContext* one : context->expr()) found.values.push_back(expr(one));
  return found;
}

ast::Metric Builder::metric(Parser::MetricStmtContext* context) {
  return {name(context->name()), expr(context->expr())};
}

ast::Generate Builder::generate(Parser::GenerateStmtContext* context) {
  ast::Generate found{name(context->name(0)), name(context->name(1)), name(context->name(2)), {}};
  if (context->settings()) found.settings = settings(context->settings());
  return found;
}

ast::Settings Builder::settings(Parser::SettingsContext* context) {
  ast::Settings found;
  ++depth_;
  for (Parser::SettingContext* one : context->setting()) {
    const ast::Name key = name(one->key());
    if (one->EQUALS()) {
      found.settings.push_back({key, expr(one->expr())});
      continue;
    }
    if (key.text != "params") complain(key.span, "expected `=` after `" + key.text + "`");
    found.params.push_back(params(one));
  }
  --depth_;
  return found;
}

ast::Settings::Params Builder::params(Parser::SettingContext* context) {
  ast::Settings::Params found;
  for (antlr4::tree::TerminalNode* glob : context->STRING())
    found.globs.emplace_back(string(glob->getSymbol()).value, span(glob->getSymbol()));
  ast::Settings inner = settings(context->settings());
  for (const ast::Settings::Params& nested : inner.params)
    complain(nested.globs.front().second, "`params` inside `params`",
             "list the patterns one after the other: `params \"a\" { ... } params \"b\" { ... }`");
  found.settings = std::move(inner.settings);
  return found;
}

}  // namespace mtfc::syntax
