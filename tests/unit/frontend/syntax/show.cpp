#include "show.h"

#include <sstream>

namespace mtfc::lab {
namespace {

using namespace ast;

class Shower {
 public:
  explicit Shower(const File& file) : file_(file) {}

  std::string all() {
    body(file_.body);
    return out_.str();
  }

 private:
  // ---- expressions
  std::string text(ExprId id) const {
    return std::visit([this](const auto& node) { return node_text(node); }, file_.at(id).node);
  }
  std::string node_text(const Number& n) const { return n.text; }
  std::string node_text(const String& s) const { return '"' + s.value + '"'; }
  std::string node_text(const Boolean& b) const { return b.value ? "true" : "false"; }
  std::string node_text(const NameRef& n) const { return n.name.text; }
  std::string node_text(const Unary& u) const {
    return (u.op == UnaryOp::negate ? "(-" : "(not ") + text(u.operand) + ")";
  }
  // Chains lean to the left and may be long: that side is followed in a loop.
  std::string node_text(const Binary& last) const {
    std::vector<const Binary*> chain{&last};
    while (const Binary* left = std::get_if<Binary>(&file_.at(chain.back()->left).node))
      chain.push_back(left);
    std::string all(chain.size(), '(');
    all += text(chain.back()->left);
    for (std::size_t i = chain.size(); i-- > 0;)
      all += " " + std::string(spelling(chain[i]->op)) + " " + text(chain[i]->right) + ")";
    return all;
  }
  std::string node_text(const IfThenElse& e) const {
    return "(if " + text(e.condition) + " then " + text(e.then_value) + " else " +
           text(e.else_value) + ")";
  }
  std::string node_text(const Call& c) const {
    std::string all = (c.module ? c.module->text + "." : "") + c.callee.text;
    if (c.instance) all += "@" + c.instance->text;
    all += "(";
    for (const Argument& a : c.args)
      all +=
          (&a == &c.args.front() ? "" : ", ") + (a.name ? a.name->text + "=" : "") + text(a.value);
    if (c.over) all += " over " + dims(*c.over);
    if (c.to) all += " -> " + dims(*c.to);
    return all + ")";
  }
  std::string node_text(const Field& f) const { return text(f.base) + "." + f.name.text; }
  std::string node_text(const View& v) const {
    std::string all = text(v.base) + "[";
    for (const ViewItem& item : v.items) {
      if (&item != &v.items.front()) all += ", ";
      all += std::visit([this](const auto& i) { return item_text(i); }, item.item);
    }
    return all + "]";
  }
  std::string item_text(const RenameItem& i) const { return names(i.from) + " -> " + names(i.to); }
  std::string item_text(const IndexItem& i) const {
    return i.dim.text + " = " + text(i.index) + (i.otherwise ? " else " + text(*i.otherwise) : "");
  }
  std::string item_text(const SliceItem& i) const {
    return i.dim.text + " = " + text(i.low) + ":" + text(i.high) + " -> " + i.fresh.text;
  }

  // ---- lists
  static std::string names(const std::vector<Name>& list) {
    std::string all;
    for (const Name& n : list) all += (all.empty() ? "" : " ") + n.text;
    return all;
  }
  static std::string dims(const DimList& list) {
    std::string all;
    for (const DimItem& item : list.items) {
      if (!all.empty()) all += ", ";
      if (item.kind == DimItem::Kind::ellipsis) all += "...";
      if (item.kind == DimItem::Kind::name) all += item.name.text;
      if (item.kind == DimItem::Kind::dims_of) all += "dims(" + item.name.text + ")";
      for (const Name& minus : item.minus) all += " - " + minus.text;
    }
    return all;
  }
  static std::string target(const Target& t) {
    return t.name.text + (t.shape ? "[" + dims(*t.shape) + "]" : "") +
           (t.dtype ? ": " + t.dtype->text : "");
  }
  std::string sized(const std::vector<Sized>& list) const {
    std::string all;
    for (const Sized& s : list)
      all += (all.empty() ? "" : ", ") + s.name.text + " = " + text(s.value);
    return all;
  }
  static std::string tilde(bool sampled) { return sampled ? " ~ " : " = "; }

  // ---- statements
  void line(const std::string& text) { out_ << std::string(2 * depth_, ' ') << text << '\n'; }
  void body(const Body& statements) {
    for (const StatementId id : statements)
      std::visit([this](const auto& node) { statement(node); }, file_.at(id).node);
  }
  void nested(const std::string& head, const Body& inside) {
    line(head + " {");
    ++depth_;
    body(inside);
    --depth_;
    line("}");
  }
  void statement(const Use& s) { line("use \"" + s.path + "\""); }
  void statement(const DimDecl& s) { line("dim " + sized(s.dims)); }
  void statement(const ConstDecl& s) { line("const " + sized(s.consts)); }
  void statement(const DataDecl& s) { line("data " + s.name.text + " = " + text(s.source)); }
  void statement(const InputDecl& s) {
    line("input " + target(s.target) + " from " + text(s.source));
  }
  void statement(const ParamDecl& s) {
    line("param " + names(s.names) + " [" + dims(s.shape) + "]" +
         (s.dtype ? ": " + s.dtype->text : "") + tilde(s.sampled) + text(s.init));
  }
  void statement(const StateDecl& s) {
    line("state " + target(s.target) + tilde(s.sampled) + text(s.init));
  }
  void statement(const Update& s) { line("update " + s.name.text + " = " + text(s.value)); }
  void statement(const InstanceDecl& s) {
    line("instance " + s.name.text + " = " + s.block.text + "@" + s.instance.text);
  }
  void statement(const BlockDecl& s) {
    std::string head = "block " + s.name.text + "(";
    for (const Formal& f : s.formals) {
      if (&f != &s.formals.front()) head += ", ";
      head += (f.is_dim ? "dim " : "") + target({f.name, f.pattern, f.dtype});
      if (f.default_value) head += "=" + text(*f.default_value);
    }
    if (s.over) head += " over " + dims(*s.over);
    if (s.to) head += " -> " + dims(*s.to);
    if (!s.doc.empty()) line("# " + s.doc);
    nested(head + ")", s.body);
  }
  void statement(const Return& s) {
    std::string all = "return";
    for (const ExprId value : s.values) all += " " + text(value);
    line(all);
  }
  void statement(const Repeat& s) {
    nested("repeat " + (s.label ? "@" + s.label->text + " " : "") +
               (s.counter ? s.counter->text + " in " : "") + text(s.count),
           s.body);
  }
  void statement(const Recompute& s) { nested("recompute", s.body); }
  void statement(const Scan& s) { nested("scan " + s.name.text + " over " + s.dim.text, s.body); }
  void statement(const If& s) {
    nested("if " + text(s.condition), s.then_body);
    if (s.else_body) nested("else", *s.else_body);
  }
  void statement(const Loss& s) {
    line("loss " + (s.name ? s.name->text + " = " : "") + text(s.value));
  }
  void statement(const Metric& s) { line("metric " + s.name.text + " = " + text(s.value)); }
  void settings(const std::vector<Setting>& list) {
    for (const Setting& s : list) line(s.key.text + " = " + text(s.value));
  }
  void settings(const std::string& head, const Settings& all) {
    line(head + " {");
    ++depth_;
    settings(all.settings);
    for (const Settings::Params& params : all.params) {
      std::string globs = "params";
      for (const auto& [glob, place] : params.globs) globs += " \"" + glob + "\"";
      line(globs);
      settings(params.settings);
    }
    --depth_;
    line("}");
  }
  void statement(const Generate& s) {
    const std::string head =
        "generate " + s.logits.text + " from " + s.tokens.text + " over " + s.dim.text;
    if (s.settings)
      settings(head, *s.settings);
    else
      line(head);
  }
  void statement(const Train& s) { settings("train", s.settings); }
  void statement(const Assign& s) {
    std::string all;
    for (const Target& t : s.targets) all += (all.empty() ? "" : ", ") + target(t);
    line(all + tilde(s.sampled) + text(s.value));
  }

  const File& file_;
  std::ostringstream out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string show(const ast::File& file) { return Shower(file).all(); }

}  // namespace mtfc::lab
