#include "cli/run/generate_output.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/utf8.h"

namespace mtfc::cli {
namespace {

/// Whether the end of `text` may be the beginning of a longer character.
bool may_go_on(std::string_view text) {
  return utf8_length(text[0]) > text.size() &&
         std::none_of(text.begin() + 1, text.end(), begins_character);
}

bool obeyed(char32_t c) { return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0); }

std::string ids_json(const runtime::Ids& ids) {
  std::vector<std::string> items;
  for (const std::int32_t id : ids) items.push_back(json(id));
  return json_array(items);
}

JsonFields text_json(const runtime::TextCodec& coder, const runtime::NewText& text) {
  return {{"text", json(shown(coder, text.ids, false))},
          {"ids", ids_json(text.ids)},
          {"ended", json(text.ended)}};
}

/// The median of what tokens around a position took; 0 if there are none.
double around(const std::vector<double>& seconds, std::size_t position) {
  constexpr std::size_t reach = 8;
  std::vector<double> near;
  const std::size_t end = std::min(seconds.size(), position + reach + 1);
  for (std::size_t i = position > reach ? position - reach : 0; i < end; ++i)
    if (seconds[i] > 0) near.push_back(seconds[i]);
  if (near.empty() || position >= seconds.size()) return 0;
  std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2),
                   near.end());
  return near[near.size() / 2];
}

std::vector<std::size_t> timed_positions(const std::vector<double>& seconds) {
  std::vector<std::size_t> positions;
  for (std::size_t p = 16; p < seconds.size(); p *= 2)
    if (around(seconds, p) > 0) positions.push_back(p);
  if (seconds.empty() || seconds.back() <= 0) return positions;
  const std::size_t last = seconds.size() - 1;
  if (positions.empty() || positions.back() != last) positions.push_back(last);
  return positions;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", 1000 * seconds); }

}  // namespace

std::string TextStream::take(bool all) {
  std::string out;
  std::size_t at = 0;
  while (at < open_.size()) {
    const CodePoint point = decode_utf8(open_, at);
    const std::string_view rest = std::string_view(open_).substr(at);
    if (!point.valid && !all && may_go_on(rest)) break;
    const bool whole = point.valid && !(terminal_ && obeyed(point.value));
    out += whole ? rest.substr(0, point.bytes) : replacement_character;
    at += point.bytes;
  }
  open_.erase(0, at);
  return out;
}

std::string TextStream::add(std::string_view more) {
  open_ += more;
  return take(false);
}

std::string TextStream::end() { return take(true); }

std::string shown(const runtime::TextCodec& coder, const runtime::Ids& ids, bool terminal) {
  std::string text;
  for (const std::int32_t id : ids) coder.append(id, text);
  TextStream stream(terminal);
  std::string out = stream.add(text);
  return out + stream.end();
}

std::string generated_json(const runtime::TextCodec& coder, const std::vector<std::string>& prompts,
                           const runtime::GenerationResult& result, bool beams) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < result.texts.size(); ++i) {
    TextStream prompt(false);
    const std::string begin = prompt.add(prompts[i]);
    JsonFields fields = {{"prompt", json(begin + prompt.end())}};
    const std::vector<runtime::NewText>& texts = result.texts[i];
    const runtime::NewText none;
    for (auto& field : text_json(coder, texts.empty() ? none : texts[0])) fields.push_back(field);
    std::vector<std::string> all;
    for (const runtime::NewText& text : texts) {
      JsonFields one = text_json(coder, text);
      one.emplace_back("log_probability", json(text.log_probability));
      one.emplace_back("score", json(text.score));
      all.push_back(json_object(one));
    }
    if (beams) fields.emplace_back("beams", json_array(all));
    items.push_back(json_object(fields));
  }
  return json_array(items);
}

JsonFields json_timing(const runtime::GenerationResult& result) {
  JsonFields positions;
  for (const std::size_t p : timed_positions(result.seconds))
    positions.emplace_back(std::to_string(p), json(around(result.seconds, p)));
  return {{"prompt", json(result.prompt_seconds)}, {"positions", json_object(positions)}};
}

std::string timing_table(const runtime::GenerationResult& result) {
  std::string text = "reading the prompts: " + milliseconds(result.prompt_seconds) + "\n";
  double total = 0, count = 0;
  for (const double s : result.seconds) {
    total += s;
    count += s > 0 ? 1 : 0;
  }
  for (const std::size_t p : timed_positions(result.seconds))
    text += "position " + std::to_string(p) + ": " + milliseconds(around(result.seconds, p)) +
            " per token\n";
  if (count > 0) text += "all positions: " + milliseconds(total / count) + " per token\n";
  return text;
}

}  // namespace mtfc::cli
