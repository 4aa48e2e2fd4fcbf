#include "train/generate/decoder.h"

#include "support/check.h"
#include "support/host_tensor.h"
#include "support/program_names.h"

namespace mtfc::runtime {
Decoder::Decoder(Engine& engine, const GenerationPlan& plan)
    : engine_(engine), plan_(plan), logits_(static_cast<std::size_t>(plan.rows)) {
  for (std::vector<double>& row : logits_) row.resize(static_cast<std::size_t>(plan.vocab));
}

void Decoder::prepare(const Feeds& inputs) {
  if (!plan_.fixed) return;
  Feeds feeds = inputs;
  set_scalar(feeds, feed_names::step, 0);
  fetched_.clear();
  engine_.run(program_names::generate_fixed, feeds, fetched_);
}

void Decoder::read(std::vector<Ids> texts) {
  MTFC_CHECK(texts.size() == logits_.size() && !texts[0].empty(), "a text for each row");
  texts_ = std::move(texts);
  begin_ = 0;
  if (length() > longest()) slide();
  read_window();
}

/// The last half is kept; what the model says of it does not depend on what was before.
void Decoder::slide() { begin_ = length() - std::max<std::int64_t>(1, longest() / 2); }

std::size_t Decoder::window_for(std::int64_t length) const {
  std::size_t i = 0;
  while (plan_.windows[i] < length) ++i;
  return i;
}

std::string Decoder::program(const char* name) const {
  return program_names::of_window(name, plan_.windows[window_]);
}

HostTensor& Decoder::ids_of(std::int64_t columns) {
  HostTensor& ids = feeds_[feed_names::generated_ids];
  const std::vector<std::int64_t> extents{plan_.rows, columns};
  if (ids.extents != extents) ids = HostTensor::zeros(DType::i32, extents);
  return ids;
}

void Decoder::read_window() {
  const std::int64_t n = length() - begin_;
  window_ = window_for(n);
  const std::int64_t size = plan_.windows[window_];
  std::int32_t* ids = ids_of(size).as<std::int32_t>();
  for (const Ids& text : texts_) {
    for (std::int64_t i = 0; i < size; ++i)
      ids[i] = i < n ? text[static_cast<std::size_t>(begin_ + i)] : 0;
    ids += size;
  }
  run(program(program_names::prefill), n - 1);
}

void Decoder::append(const Ids& ids) {
  for (std::size_t row = 0; row < texts_.size(); ++row) texts_[row].push_back(ids[row]);
  const std::int64_t index = length() - 1 - begin_;
  if (index >= longest()) {
    slide();
    return read_window();
  }
  if (!plan_.incremental) return read_window();
  if (index >= plan_.windows[window_]) {
    ++window_;
    fetched_.clear();
    engine_.run(program(program_names::grow), feeds_, fetched_);
  }
  std::copy(ids.begin(), ids.end(), ids_of(1).as<std::int32_t>());
  run(program(program_names::step), index);
}

void Decoder::reorder(const Ids& order) {
  bool same = true;
  for (std::size_t row = 0; row < order.size(); ++row)
    same = same && order[row] == static_cast<std::int32_t>(row);
  if (same) return;
  std::vector<Ids> texts;
  for (const std::int32_t row : order) texts.push_back(texts_[static_cast<std::size_t>(row)]);
  texts_ = std::move(texts);
  if (!plan_.incremental) return;
  HostTensor& fed = feeds_[feed_names::order_of_rows];
  if (fed.extents.empty()) fed = HostTensor::zeros(DType::i32, {plan_.rows});
  std::copy(order.begin(), order.end(), fed.as<std::int32_t>());
  fetched_.clear();
  engine_.run(program(program_names::reorder), feeds_, fetched_);
}

void Decoder::run(const std::string& program, std::int64_t position) {
  set_scalar(feeds_, feed_names::position, position);
  fetched_.clear();
  engine_.run(program, feeds_, fetched_);
  MTFC_CHECK(fetched_.size() == 1, "a program of generation fetches its logits");
  const HostTensor& fetched = fetched_[0].value;
  MTFC_CHECK(fetched.elements() == plan_.rows * plan_.vocab, "logits of another size");
  std::int64_t at = 0;
  for (std::vector<double>& row : logits_)
    for (double& logit : row) logit = element(fetched, at++);
}

}  // namespace mtfc::runtime
