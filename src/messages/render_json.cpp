#include "messages/render.h"

namespace mtfc {

JsonFields json_span(Span span, const SourceMap& sources) {
  if (!span.valid()) return {};
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, span.end);
  return {{"file", json(sources.path(span.file))},
          {"line", json(begin.line)},
          {"column", json(begin.column)},
          {"end_line", json(end.line)},
          {"end_column", json(end.column)}};
}

namespace {

std::string spans(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<std::string> list;
  for (const Label& label : diagnostic.labels) {
    if (!label.span.valid()) continue;
    JsonFields entry = json_span(label.span, sources);
    entry.emplace_back("primary", json(label.primary));
    entry.emplace_back("label", json(label.text));
    list.push_back(json_object(entry));
  }
  return json_array(list);
}

std::string fixes(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<std::string> list;
  for (const Fix& fix : diagnostic.fixes) {
    JsonFields entry = json_span(fix.span, sources);
    entry.emplace_back("replacement", json(fix.replacement));
    list.push_back(json_object(entry));
  }
  return json_array(list);
}

}  // namespace

std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources) {
  return json_object({{"schema", "1"},
                      {"code", json(info(diagnostic.kind).code)},
                      {"severity", json(name(diagnostic.severity()))},
                      {"message", json(diagnostic.message)},
                      {"spans", spans(diagnostic, sources)},
                      {"notes", json_list(diagnostic.notes)},
                      {"helps", json_list(diagnostic.helps)},
                      {"fixes", fixes(diagnostic, sources)}});
}

}  // namespace mtfc
