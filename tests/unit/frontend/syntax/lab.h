// Short forms for tests of texts.
#pragma once
#include <ctime>
#include <string>

#include "frontend/syntax/parse.h"
#include "messages/render.h"

namespace mtfc::lab {

/// A text, its tree if it has one, and what was reported.
struct Parsed {
  explicit Parsed(std::string text, bool expression = false) {
    file = sources.add("m.mtf", std::move(text));
    tree = expression ? parse_expression(sources, file, diagnostics)
                      : parse_model(sources, file, diagnostics);
  }
  /// Everything reported, as a user would read it.
  std::string report() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += render_text(d, sources, {});
    return all;
  }
  /// The codes of what was reported: "E101 E100".
  std::string codes() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all())
      all += (all.empty() ? "" : " ") + std::string(info(d.kind).code);
    return all;
  }
  SourceMap sources;
  FileId file;
  Diagnostics diagnostics;
  std::optional<ast::File> tree;
};

/// Processor time, so that a busy machine fails no test.
inline double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

inline std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += piece;
  return all;
}

}  // namespace mtfc::lab
