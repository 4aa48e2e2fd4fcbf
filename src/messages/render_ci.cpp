// Diagnostics for services that show them beside the text: GitHub's workflow commands, SARIF 2.1.0.
#include <algorithm>
#include <utility>

#include "messages/render.h"
#include "support/json.h"

namespace mtfc {
namespace {

/// What a workflow command does not carry in its data; `property`: in a value before the `::`.
std::string escaped(std::string_view text, bool property) {
  std::string all;
  for (const char c : text) {
    if (c == '%')
      all += "%25";
    else if (c == '\n')
      all += "%0A";
    else if (c == '\r')
      all += "%0D";
    else if (property && c == ':')
      all += "%3A";
    else if (property && c == ',')
      all += "%2C";
    else
      all += c;
  }
  return all;
}

/// The message and the text of its labels, then notes and helps, a line each.
std::string whole_text(const Diagnostic& diagnostic, const std::string& labels = "") {
  std::string text = diagnostic.message;
  text += labels;
  for (const std::string& note : diagnostic.notes) text += "\nnote: " + note;
  for (const std::string& help : diagnostic.helps) text += "\nhelp: " + help;
  return text;
}

/// What the labels say, which the format has no field for: a line each, those beside the first with
/// the place in the text.
std::string label_lines(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string text;
  for (const Label& label : diagnostic.labels) {
    if (label.text.empty()) continue;
    text += "\n";
    if (!label.primary && label.span.valid())
      text += sources.path(label.span.file) + ":" +
              std::to_string(sources.position(label.span.file, label.span.begin).line) + ": ";
    text += label.text;
  }
  return text;
}

std::string sarif_region(Span span, const SourceMap& sources) {
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, span.end);
  return json_object({{"startLine", json(begin.line)},
                      {"startColumn", json(begin.column)},
                      {"endLine", json(end.line)},
                      {"endColumn", json(end.column)}});
}

std::string sarif_file(const std::string& path) { return json_object({{"uri", json(path)}}); }

std::string sarif_location(const Label& label, const SourceMap& sources) {
  JsonFields fields = {
      {"physicalLocation",
       json_object({{"artifactLocation", sarif_file(sources.path(label.span.file))},
                    {"region", sarif_region(label.span, sources)}})}};
  if (!label.text.empty())
    fields.emplace_back("message", json_object({{"text", json(label.text)}}));
  return json_object(fields);
}

/// All changes of a diagnostic are one repair: by file those of its text.
std::string sarif_fix(const std::vector<Fix>& fixes, const SourceMap& sources) {
  std::vector<std::pair<std::string, std::vector<std::string>>> files;
  for (const Fix& fix : fixes) {
    const std::string& path = sources.path(fix.span.file);
    auto file = std::find_if(files.begin(), files.end(),
                             [&](const auto& known) { return known.first == path; });
    if (file == files.end()) file = files.insert(files.end(), {path, {}});
    file->second.push_back(
        json_object({{"deletedRegion", sarif_region(fix.span, sources)},
                     {"insertedContent", json_object({{"text", json(fix.replacement)}})}}));
  }
  std::vector<std::string> changes;
  for (const auto& [path, replacements] : files)
    changes.push_back(json_object(
        {{"artifactLocation", sarif_file(path)}, {"replacements", json_array(replacements)}}));
  return json_object({{"artifactChanges", json_array(changes)}});
}

}  // namespace

std::string render_github(const Diagnostic& diagnostic, const SourceMap& sources) {
  static constexpr std::string_view commands[] = {"notice", "warning", "error"};
  std::string text = "::" + std::string(commands[static_cast<std::size_t>(diagnostic.severity())]);
  std::string properties;
  if (const Label* label = primary(diagnostic)) {
    const Position begin = sources.position(label->span.file, label->span.begin);
    const Position end = sources.position(label->span.file, label->span.end);
    properties = "file=" + escaped(sources.path(label->span.file), true) +
                 ",line=" + std::to_string(begin.line) + ",endLine=" + std::to_string(end.line) +
                 ",col=" + std::to_string(begin.column) +
                 ",endColumn=" + std::to_string(end.column) + ",";
  }
  properties += "title=" + std::string(info(diagnostic.kind).code);
  return text + " " + properties +
         "::" + escaped(whole_text(diagnostic, label_lines(diagnostic, sources)), false);
}

std::string sarif_result(const Diagnostic& diagnostic, const SourceMap& sources) {
  JsonFields fields = {{"ruleId", json(info(diagnostic.kind).code)},
                       {"level", json(name(diagnostic.severity()))},
                       {"message", json_object({{"text", json(whole_text(diagnostic))}})}};
  std::vector<std::string> locations, related;
  for (const Label& label : diagnostic.labels)
    if (label.span.valid())
      (label.primary ? locations : related).push_back(sarif_location(label, sources));
  fields.emplace_back("locations", json_array(locations));
  if (!related.empty()) fields.emplace_back("relatedLocations", json_array(related));
  if (!diagnostic.fixes.empty())
    fields.emplace_back("fixes", json_array({sarif_fix(diagnostic.fixes, sources)}));
  return json_object(fields);
}

std::string sarif_log(const std::vector<std::string>& results, const std::string& version) {
  std::vector<std::string> rules;
  for (const DiagKindInfo& kind : diagnostic_kinds())
    rules.push_back(
        json_object({{"id", json(kind.code)},
                     {"name", json(kind.name)},
                     {"shortDescription", json_object({{"text", json(kind.summary)}})}}));
  const std::string driver = json_object(
      {{"name", json("mtfc")}, {"version", json(version)}, {"rules", json_array(rules)}});
  const std::string run = json_object({{"tool", json_object({{"driver", driver}})},
                                       {"columnKind", json("unicodeCodePoints")},
                                       {"results", json_array(results)}});
  return json_object({{"$schema", json("https://json.schemastore.org/sarif-2.1.0.json")},
                      {"version", json("2.1.0")},
                      {"runs", json_array({run})}});
}

}  // namespace mtfc
