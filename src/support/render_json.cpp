#include <nlohmann/json.hpp>

#include "support/render.h"

namespace mtfc {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

Json place(Span span, const SourceMap& sources) {
  if (!span.valid()) return Json::object();
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, span.end);
  return {{"file", sources.path(span.file)},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

Json spans(const Diagnostic& diagnostic, const SourceMap& sources) {
  Json list = Json::array();
  for (const Label& label : diagnostic.labels) {
    if (!label.span.valid()) continue;
    Json entry = place(label.span, sources);
    entry["primary"] = label.primary;
    entry["label"] = label.text;
    list.push_back(std::move(entry));
  }
  return list;
}

Json fixes(const Diagnostic& diagnostic, const SourceMap& sources) {
  Json list = Json::array();
  for (const Fix& fix : diagnostic.fixes) {
    Json entry = place(fix.span, sources);
    entry["replacement"] = fix.replacement;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources) {
  const Json object = {{"schema", 1},
                       {"code", info(diagnostic.kind).code},
                       {"severity", word(diagnostic.severity())},
                       {"message", diagnostic.message},
                       {"spans", spans(diagnostic, sources)},
                       {"notes", diagnostic.notes},
                       {"helps", diagnostic.helps},
                       {"fixes", fixes(diagnostic, sources)}};
  // A path or a quoted text may hold bytes that are not UTF-8; they must not stop the report.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mtfc
