#include "fuzz/source.h"

#include <unistd.h>

#include <algorithm>

namespace mtfc::fuzz {

namespace {

void check_fed(const runtime::Status& fed, const runtime::Feeds& feeds,
               const std::vector<runtime::InputSpec>& inputs) {
  if (!fed) return require(!fed.error().message.empty(), "refused without a reason");
  for (const runtime::InputSpec& input : inputs) {
    const runtime::HostTensor& tensor = feeds.at(input.name);
    require(tensor.dtype == input.dtype && tensor.extents == input.extents, "another type is fed");
    if (input.ids == 0) continue;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      require(tensor.as<std::int32_t>()[i] >= 0 && tensor.as<std::int32_t>()[i] < input.ids,
              "an id that is none");
  }
}

}  // namespace

void feed(SourceSpec source, std::vector<runtime::InputSpec> inputs) {
  source.name = "s";
  source.directory = scratch_folder();
  runtime::DataPlan plan;
  plan.sources = {std::move(source)};
  plan.inputs = inputs;
  plan.steps = 2;
  auto feeder = runtime::Feeder::open(plan);
  if (!feeder) return require(!feeder.error().message.empty(), "refused without a reason");
  runtime::Feeds feeds;
  for (std::int64_t step = 0; step < 2; ++step)
    check_fed(feeder->train(step, feeds), feeds, inputs);
  for (std::int64_t batch = 0; batch < std::min<std::int64_t>(feeder->eval_batches(), 2); ++batch)
    check_fed(feeder->eval(batch, feeds), feeds, inputs);
  if (runtime::Tokenizer* tokenizer = feeder->tokenizer("s")) {
    for (const std::int32_t id : {-1, 0, 1, 2, 300}) tokenizer->decode(std::vector{id});
    const auto again = runtime::parse_token_table(token_table_text(tokenizer->table()));
    require(again && *again == tokenizer->table(), "a token table is written as another");
  }
  (void)feeder->facts();
}

void write_files(const Sections& sections, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (found != sections.end())
      scratch_file(name, found->second);
    else
      ::unlink((scratch_folder() + "/" + name).c_str());
  }
}

}  // namespace mtfc::fuzz
