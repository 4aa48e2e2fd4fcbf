// JSON that is read: token tables, logs, and what checkpoints say beside their tensors.
#include "data/text/make_tokenizer.h"
#include "fuzz/target.h"
#include "plot/log.h"
#include "train/checkpoint/record.h"

namespace mtfc::fuzz {

namespace {

void read_table(const std::string& text) {
  auto table = runtime::parse_token_table(text);
  if (!table) return;
  const auto again = runtime::parse_token_table(token_table_text(*table));
  require(again && *again == *table, "a token table is written as another");
}

void read_record(const Sections& sections) {
  runtime::Metadata metadata;
  for (const auto& [name, text] : sections)
    if (!name.empty()) metadata.emplace(name, text);
  const auto record = runtime::to_record(metadata, "x.safetensors");
  if (!record) return require(!record.error().message.empty(), "refused without a reason");
  if (record->state.steps < 0) return;  // a file of other programs, which nobody writes
  const auto again = runtime::to_record(runtime::to_metadata(*record), "x.safetensors");
  require(static_cast<bool>(again), "a record is not read as it is written");
}

}  // namespace

void json(std::string_view input) {
  const Sections sections = sections_of(input);
  read_table(sections.front().second);
  (void)plot::read_log(sections.front().second, "log");
  read_record(sections);
}

}  // namespace mtfc::fuzz
