#include "support/read_json.h"

namespace mtfc {

nlohmann::json read_json(std::string_view text, int depth) {
  using Json = nlohmann::json;
  const auto shallow = [depth](int at, Json::parse_event_t, Json&) { return at <= depth; };
  return Json::parse(text, shallow, false);
}

}  // namespace mtfc
