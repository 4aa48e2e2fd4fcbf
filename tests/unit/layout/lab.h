// Small models built by hand, with a source text that diagnostics can point into.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frontend/layout/parse_layout.h"
#include "ir/model.h"
#include "layout/assignment.h"
#include "layout/legality.h"
#include "messages/render.h"
#include "ops/builder.h"

namespace mtfc::test {

/// A model whose text is given; dimensions and tensors are declared as a front end would.
class Lab {
 public:
  explicit Lab(std::string text) : text_(std::move(text)), file_(sources.add("model.mtf", text_)) {
    model.path = "model.mtf";
  }

  /// The k-th occurrence of `words` in the model's text, nowhere if there is none.
  Span at(const std::string& words, int k = 0) const {
    std::size_t place = text_.find(words);
    while (k-- > 0 && place != text_.npos) place = text_.find(words, place + 1);
    if (place == text_.npos) return {};
    const auto begin = static_cast<std::uint32_t>(place);
    return {file_, begin, begin + static_cast<std::uint32_t>(words.size())};
  }

  DimId dim(const std::string& name, std::int64_t size, std::string scope = "") {
    Dim d;
    d.name = name;
    d.size = size;
    d.formula = std::to_string(size);
    d.scope = std::move(scope);
    d.declared = at(name);
    d.size_span = at(name + " = " + d.formula);
    if (d.size_span.valid()) d.size_span.begin += static_cast<std::uint32_t>(name.size() + 3);
    return model.dims.add(std::move(d));
  }
  void set_origin(DimId id, const std::string& origin) {
    DimTable changed;
    for (std::size_t i = 0; i < model.dims.size(); ++i) {
      Dim d = model.dims.all()[i];
      if (i == id.at()) d.origin = origin;
      changed.add(std::move(d));
    }
    model.dims = changed;
  }

  ValueId input(const std::string& name, DimList dims, DType dtype = DType::f32) {
    model.inputs.push_back({name, {dtype, dims}, name, "", at(name + "[")});
    return build(name + "[").input(name, {dtype, dims});
  }
  /// `shape`: as in the text, "[io, hidden]".
  ValueId param(const std::string& name, DimList dims, const std::string& shape = "") {
    Variable v{name, {DType::f32, dims}, Variable::Kind::parameter, true, at(name), at(shape)};
    if (shape.empty()) v.shape_span = {};
    model.variables.push_back(v);
    return build(name).read(name, v.type);
  }
  /// The builder of the step, with the origin at these words of the text.
  ops::Builder build(const std::string& words) {
    ops::Builder builder(model.train, model.dims);
    builder.origin.span = at(words);
    return builder;
  }
  ValueId named(ValueId id, const std::string& name) {
    model.train.values[id.at()].name = name;
    return id;
  }

  /// Reads, resolves and judges; all diagnostics as text.
  std::string check(const std::string& layout_text, const std::string& mesh_text = "") {
    Diagnostics diagnostics;
    legal = false;
    assignment.reset();
    const FileId file = sources.add("test.layout", layout_text);
    const auto layout = parse_layout(sources, file, diagnostics);
    std::optional<Mesh> mesh;
    if (!mesh_text.empty())
      mesh = parse_mesh(sources, sources.add("--mesh", mesh_text), diagnostics);
    if (layout && diagnostics.ok()) {
      const auto found = lowering::resolve_all(*layout, mesh, model, diagnostics);
      if (found.assignment)
        legal = lowering::check_legality(model, *layout, *found.assignment, sources, diagnostics) &&
                found.ok;
      if (found.ok) assignment = found.assignment;
    }
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += render_text(d, sources, {});
    return text;
  }
  /// The codes alone: "E402 W410".
  std::string codes(const std::string& layout_text, const std::string& mesh_text = "") {
    const std::string text = check(layout_text, mesh_text);
    std::string found;
    for (std::size_t i = text.find("]: "); i != text.npos; i = text.find("]: ", i + 1)) {
      const std::size_t line = text.rfind('\n', i);
      const std::size_t open = text.rfind('[', i);
      if (open == text.npos || (line != text.npos && open < line) || i - open != 5) continue;
      found += (found.empty() ? "" : " ") + text.substr(open + 1, 4);
    }
    return found;
  }
  /// "rows", "" for a whole dimension.
  std::string axis_of(DimId id) const {
    const auto& axes = assignment.value().axes(id);
    return to_string(assignment->mesh, axes);
  }

  SourceMap sources;
  Model model;
  std::optional<Assignment> assignment;
  bool legal = false;

 private:
  std::string text_;
  FileId file_;
};

/// The paper's two fully-connected layers.
struct TwoLayer : Lab {
  TwoLayer();
  DimId batch, io, hidden;
};

/// One block of a transformer: embedding, attention, mlp, output.
struct Transformer : Lab {
  explicit Transformer(std::int64_t vocab_size = 65, int layers = 1);
  DimId batch, length, memory, vocab, d_model, heads, d_head, d_ff;

 private:
  ValueId attention(ValueId x, const std::string& path);
  ValueId mlp(ValueId x, const std::string& path);
};

}  // namespace mtfc::test
