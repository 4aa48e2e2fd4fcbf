#include "train/checkpoint/record.h"

#include <limits>
#include <optional>

#include "support/json.h"
#include "support/read_json.h"
#include "support/text.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* our_format = "mtfc";
constexpr int schema = 1;

std::string state_text(const TrainState& state) {
  JsonFields metrics;
  for (const auto& [name, value] : state.metrics) metrics.emplace_back(name, json(value));
  return json_object({{"loss", json(state.loss)},
                      {"evaluated", json(state.evaluated)},
                      {"evaluated_now", json(state.evaluated_now)},
                      {"eval_loss", json(state.eval_loss)},
                      {"metrics", json_object(metrics)}});
}

std::string dims_text(const std::map<std::string, std::vector<std::string>>& dims) {
  JsonFields fields;
  for (const auto& [path, names] : dims) fields.emplace_back(path, json_list(names));
  return json_object(fields);
}

// ---------------------------------------------------------------- reading
/// Takes fields out of untrusted metadata and remembers the first that is not as it should be.
class Fields {
 public:
  explicit Fields(const Metadata& metadata) : metadata_(metadata) {}

  std::string text(const char* key) {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) return "";
    return found->second;
  }

  std::int64_t whole(const char* key) {
    const auto value = read_number<std::int64_t>(text(key));
    if (!value) wrong(key);
    return value.value_or(0);
  }

  /// An empty object where the key is missing.
  Json object(const char* key) {
    const std::string json = text(key);
    if (json.empty()) return Json::object();
    // Two levels are the most that any of ours has.
    Json value = read_ordered_json(json, 4);
    if (value.is_object()) return value;
    wrong(key);
    return Json::object();
  }

  TextPairs pairs(const char* key) {
    TextPairs pairs;
    const Json all = object(key);
    for (const auto& [name, value] : all.items()) {
      if (!value.is_string())
        wrong(key);
      else
        pairs.emplace_back(name, value.get<std::string>());
    }
    return pairs;
  }

  double number(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number())
      return std::numeric_limits<double>::quiet_NaN();
    return found->get<double>();
  }
  bool flag(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
  }

  void wrong(const char* key) {
    if (!wrong_) wrong_ = key;
  }
  const std::optional<std::string>& first_wrong() const { return wrong_; }

 private:
  const Metadata& metadata_;
  std::optional<std::string> wrong_;
};

TrainState state_of(Fields& fields) {
  const Json json = fields.object("state");
  TrainState state;
  state.steps = fields.whole("step");
  if (state.steps < 0) fields.wrong("step");
  state.loss = fields.number(json, "loss");
  state.eval_loss = fields.number(json, "eval_loss");
  state.evaluated = fields.flag(json, "evaluated");
  state.evaluated_now = fields.flag(json, "evaluated_now");
  const auto metrics = json.find("metrics");
  if (metrics != json.end() && metrics->is_object())
    for (const auto& [name, value] : metrics->items())
      state.metrics.emplace_back(name, fields.number(*metrics, name.c_str()));
  return state;
}

std::map<std::string, std::vector<std::string>> dims_of(Fields& fields) {
  std::map<std::string, std::vector<std::string>> dims;
  const Json all = fields.object("dims");
  for (const auto& [path, names] : all.items()) {
    if (!names.is_array()) {
      fields.wrong("dims");
      continue;
    }
    for (const Json& name : names)
      if (name.is_string())
        dims[path].push_back(name.get<std::string>());
      else
        fields.wrong("dims");
  }
  return dims;
}

std::map<std::string, std::string> by_name(const TextPairs& pairs) {
  return {pairs.begin(), pairs.end()};
}

}  // namespace

std::optional<std::string> other_optimizer(const ModelRecord& record,
                                           const std::string& optimizer) {
  if (record.optimizer.empty() || record.optimizer == optimizer) return std::nullopt;
  return "the run has the optimizer `" + record.optimizer + "`, not `" + optimizer + "`";
}

Metadata to_metadata(const CheckpointRecord& record) {
  return {{"format", our_format},
          {"schema", std::to_string(schema)},
          {"version", record.version},
          {"step", std::to_string(record.state.steps)},
          {"seed", std::to_string(record.seed)},
          {"length", std::to_string(record.length)},
          {"state", state_text(record.state)},
          {"model", valid_utf8(record.model.path)},
          {"files", json_texts(record.model.files)},
          {"defines", json_texts(record.model.defines)},
          {"settings", json_texts(record.model.settings)},
          {"optimizer", record.model.optimizer},
          {"tokens", json_texts(record.tokens)},
          {"data", json_texts(record.data)},
          {"dims", dims_text(record.dims)},
          {"kinds", json_texts(record.kinds)}};
}

Result<CheckpointRecord> to_record(const Metadata& metadata, const std::string& path) {
  CheckpointRecord record;
  Fields fields(metadata);
  if (fields.text("format") != our_format) {
    record.state.steps = -1;
    return record;
  }
  if (const std::string found = fields.text("schema"); found != std::to_string(schema))
    return Error{"`" + path + "` is a checkpoint of another version of mtfc (schema " +
                     found.substr(0, 20) + ", not " + std::to_string(schema) + ")",
                 {},
                 {}};
  record.version = fields.text("version");
  record.seed = fields.whole("seed");
  record.length = read_number<std::int64_t>(fields.text("length")).value_or(0);
  record.state = state_of(fields);
  record.model.path = fields.text("model");
  record.model.files = fields.pairs("files");
  record.model.defines = fields.pairs("defines");
  record.model.settings = fields.pairs("settings");
  record.model.optimizer = fields.text("optimizer");
  record.tokens = by_name(fields.pairs("tokens"));
  record.data = by_name(fields.pairs("data"));
  record.dims = dims_of(fields);
  record.kinds = by_name(fields.pairs("kinds"));
  if (const auto& wrong = fields.first_wrong())
    return Error{"`" + path + "` is damaged: its metadata `" + *wrong + "` cannot be read", {}, {}};
  return record;
}

}  // namespace mtfc::runtime
