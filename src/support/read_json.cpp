#include "support/read_json.h"

namespace mtfc {

namespace {

template <class Json>
Json read(std::string_view text, int depth) {
  using Event = typename Json::parse_event_t;
  return Json::parse(
      text, [depth](int at, Event, Json&) { return at <= depth; }, false);
}

}  // namespace

nlohmann::json read_json(std::string_view text, int depth) {
  return read<nlohmann::json>(text, depth);
}

nlohmann::ordered_json read_ordered_json(std::string_view text, int depth) {
  return read<nlohmann::ordered_json>(text, depth);
}

}  // namespace mtfc
