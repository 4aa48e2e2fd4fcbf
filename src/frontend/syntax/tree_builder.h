// Parse tree -> syntax tree. Told apart here, because the grammar looks one token ahead only: what
// may be called, which word stands before `=`, and how strongly operators bind.
#pragma once
#include <MtfParser.h>

#include "frontend/syntax/ast.h"
#include "messages/diagnostic.h"

namespace mtfc::syntax {

using Parser = grammar::MtfParser;
using Tree = antlr4::tree::ParseTree;
using Rule = antlr4::ParserRuleContext;

/// Levels of nesting, of the text and of the tree; left operands of one chain of operators, which
/// nobody needs to recurse into, do not count.
inline constexpr int max_nesting = 256;

class Builder {
 public:
  Builder(const SourceMap& sources, FileId file, Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {
    out_.file = file;
  }
  ast::File build(Parser::FileContext* context);
  ast::File build(Parser::OneExprContext* context);
  /// Reports what is wrong with one statement of a text that does not parse as a whole.
  void look_at(Parser::StatementContext* context);

 private:
  /// An expression with its place, which unlike Expr::span includes enclosing parentheses.
  struct Operand {
    ast::ExprId id;
    Span outer;
  };
  /// An operator that waits for its right operand.
  struct Pending;
  struct OperatorStack;

  // builder.cpp: places, names, lists
  Span span(const antlr4::Token* token) const;
  Span span(const Rule* rule) const;
  Span span(Tree* node) const;
  ast::Name name(Rule* one_word) const;
  ast::DimItem dim_item(Parser::DimItemContext* context);
  ast::DimList dim_list(Parser::DimListContext* context);
  ast::DimList shape(Parser::ShapeContext* context);
  std::optional<ast::DimList> optional_shape(Parser::ShapeContext* context);
  std::optional<ast::Name> dtype(Parser::DtypeContext* context) const;
  ast::String string(const antlr4::Token* token);
  void complain(Span at, std::string message, std::string help = "");
  bool too_deep(Span at, std::size_t further);

  // build_expr.cpp: operators
  ast::ExprId add(ast::Expr expr);
  ast::ExprId expr(Parser::ExprContext* context);
  Operand operation(Parser::ExprContext* context);
  void prefix(OperatorStack& stack, Parser::PrefixContext* context);
  void binary(OperatorStack& stack, Parser::BinaryContext* context);
  void reduce(OperatorStack& stack);
  void complain_about_chain(OperatorStack& stack, const Pending& second);

  // build_operand.cpp: what stands between operators
  Operand operand(Parser::OperandContext* context);
  Operand primary(Parser::PrimaryContext* context);
  ast::Number number(const antlr4::Token* token) const;
  Operand call(std::optional<ast::Name> module, ast::Name callee, Span from,
               Parser::TrailerContext* context);
  void arguments(ast::Call& call, Parser::ArgsContext* context);
  ast::Argument argument(Parser::ArgContext* context);
  std::optional<ast::Name> bare_name(Parser::ExprContext* context) const;
  Operand field(Operand base, ast::Name name);
  Operand view(Operand base, Parser::TrailerContext* context);
  ast::ViewItem view_item(Parser::ViewItemContext* context);

  // build_statement.cpp: statements with a body, or with a word to check
  ast::StatementId add(ast::Statement statement);
  ast::Body body(Parser::BodyContext* context);
  ast::Body statements(const std::vector<Tree*>& children);
  ast::StatementId statement(Rule* context);
  void check_comma_after_dim(Rule* after);
  void remember(Rule* statement);
  ast::StatementId if_statement(Parser::IfStmtContext* context);
  ast::StatementId block(Parser::BlockStmtContext* context);
  ast::Formal formal(Parser::FormalContext* context);
  std::string comment_above(Span statement) const;
  ast::StatementId name_statement(Parser::NameStmtContext* context);
  ast::StatementId repeat(Parser::RepeatStmtContext* context);
  ast::StatementId loss(Parser::LossStmtContext* context);
  ast::Target target(Parser::NameContext* word, Parser::ShapeContext* dims,
                     Parser::DtypeContext* type);

  // build_plain.cpp: the others
  using Node = decltype(ast::Statement::node);
  ast::StatementId plain_statement(Rule* context);
  Node plain_node(Rule* rule);
  ast::Use use(Parser::UseStmtContext* context);
  std::vector<ast::Sized> sized(const std::vector<Parser::SizedContext*>& list);
  ast::DataDecl data(Parser::DataStmtContext* context);
  ast::InputDecl input(Parser::InputStmtContext* context);
  ast::ParamDecl param(Parser::ParamStmtContext* context);
  ast::StateDecl state(Parser::StateStmtContext* context);
  ast::Update update(Parser::UpdateStmtContext* context);
  ast::InstanceDecl instance(Parser::InstanceStmtContext* context);
  ast::Return returned(Parser::ReturnStmtContext* context);
  ast::Metric metric(Parser::MetricStmtContext* context);
  ast::Generate generate(Parser::GenerateStmtContext* context);
  ast::Settings settings(Parser::SettingsContext* context);
  ast::Settings::Params params(Parser::SettingContext* context);

  const SourceMap& sources_;
  Diagnostics& diagnostics_;
  ast::File out_;
  int depth_ = 0;  // of the node that is being built
  bool too_deep_ = false;
  // The `dim` or `const` right before the statement that is being built, if there is one.
  std::optional<Span> dim_before_;
  std::uint32_t dim_end_ = 0;
};

}  // namespace mtfc::syntax
