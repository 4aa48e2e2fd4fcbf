#include "comm/exchange_spec.h"

#include "support/rounding.h"
#include "support/row_major.h"
#include "support/strides.h"

namespace mtfc::runtime {
namespace {

bool dense(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
  const std::vector<std::int64_t> wanted = dense_strides(extents);
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != 1 && strides[i] != wanted[i]) return false;
  return true;
}

CopySpec block_copy(const ExchangeSpec& spec, const std::vector<std::int64_t>& from,
                    const std::vector<std::int64_t>& to) {
  CopySpec copy;
  copy.element_size = size_of(spec.dtype);
  copy.extents = spec.extents;
  copy.x_strides = from;
  copy.y_strides = to;
  copy.y_size = block_elements(spec);
  return copy;
}

/// Several of them.
CopySpec repeated(CopySpec copy, std::int64_t times, std::int64_t from_step, std::int64_t to_step) {
  copy.extents.insert(copy.extents.begin(), times);
  copy.x_strides.insert(copy.x_strides.begin(), from_step);
  copy.y_strides.insert(copy.y_strides.begin(), to_step);
  return copy;
}

}  // namespace

std::string_view name(ExchangeSpec::Kind kind) {
  switch (kind) {
    case ExchangeSpec::Kind::all_reduce:
      return "all_reduce";
    case ExchangeSpec::Kind::reduce_scatter:
      return "reduce_scatter";
    case ExchangeSpec::Kind::all_gather:
      return "all_gather";
    case ExchangeSpec::Kind::all_to_all:
      return "all_to_all";
    case ExchangeSpec::Kind::permute:
      return "permute";
  }
  return "";
}

void renumber(const std::vector<int>& from, const std::vector<int>& to,
              const std::vector<std::int64_t>& sizes, std::int64_t* coordinates) {
  RowMajor(sizes, to).locate(RowMajor(sizes, from).number(coordinates), coordinates);
}

std::int64_t block_elements(const ExchangeSpec& spec) { return product(spec.extents); }

bool source_blocks_dense(const ExchangeSpec& spec) {
  return dense(spec.extents, spec.source_strides);
}
bool result_blocks_dense(const ExchangeSpec& spec) {
  return dense(spec.extents, spec.result_strides);
}

std::int64_t counted_elements(const ExchangeSpec& spec) {
  return spec.kind == ExchangeSpec::Kind::all_gather ? spec.result_elements : spec.source_elements;
}

std::int64_t source_blocks(const ExchangeSpec& spec) {
  const bool cut = spec.kind == ExchangeSpec::Kind::reduce_scatter ||
                   spec.kind == ExchangeSpec::Kind::all_to_all;
  return cut ? spec.group_size : 1;
}
std::int64_t result_blocks(const ExchangeSpec& spec) {
  const bool joined =
      spec.kind == ExchangeSpec::Kind::all_gather || spec.kind == ExchangeSpec::Kind::all_to_all;
  return joined ? spec.group_size : 1;
}

CopySpec pack(const ExchangeSpec& spec, std::int64_t step) {
  return repeated(block_copy(spec, spec.source_strides, dense_strides(spec.extents)),
                  source_blocks(spec), spec.source_step, step);
}
CopySpec unpack(const ExchangeSpec& spec, std::int64_t step) {
  return repeated(block_copy(spec, dense_strides(spec.extents), spec.result_strides),
                  result_blocks(spec), step, spec.result_step);
}
CopySpec transfer(const ExchangeSpec& spec) {
  return block_copy(spec, spec.source_strides, spec.result_strides);
}

bool gathers_all(const ExchangeSpec& spec) { return spec.source_elements < kGatherAllElements; }

ExchangeSpec packed(const std::vector<ExchangeSpec>& bucket) {
  ExchangeSpec all = bucket.front();
  std::int64_t block = 0;
  for (const ExchangeSpec& one : bucket) block += block_elements(one);
  all.extents = {block};
  all.source_strides = all.result_strides = {1};
  all.source_elements = source_blocks(all) * block;
  all.result_elements = result_blocks(all) * block;
  all.source_step = source_blocks(all) > 1 ? block : 0;
  all.result_step = result_blocks(all) > 1 ? block : 0;
  return all;
}

bool sends_in_place(const std::vector<ExchangeSpec>& bucket) {
  const ExchangeSpec& one = bucket.front();
  const bool adjacent = source_blocks(one) == 1 || one.source_step == block_elements(one);
  return bucket.size() == 1 && adjacent && source_blocks_dense(one);
}
bool receives_in_place(const std::vector<ExchangeSpec>& bucket) {
  const ExchangeSpec& one = bucket.front();
  const bool adjacent = result_blocks(one) == 1 || one.result_step == block_elements(one);
  return bucket.size() == 1 && adjacent && result_blocks_dense(one);
}

std::int64_t bucket_scratch(const std::vector<ExchangeSpec>& bucket) {
  const ExchangeSpec all = packed(bucket);
  std::int64_t elements = 0;
  if (!sends_in_place(bucket)) elements += all.source_elements;
  if (!receives_in_place(bucket)) elements += all.result_elements;
  // What the others send for a sum; of a small one, what all ranks send.
  const std::int64_t part = ceil_div(all.source_elements, all.group_size);
  const bool all_reduce = all.kind == ExchangeSpec::Kind::all_reduce;
  if (all_reduce && gathers_all(all))
    elements += all.group_size * all.source_elements;
  else if (all_reduce || all.kind == ExchangeSpec::Kind::reduce_scatter)
    elements += (all.group_size - 1) * part;
  return elements * static_cast<std::int64_t>(size_of(all.dtype));
}

std::int64_t sent_elements(const ExchangeSpec& spec) {
  return sent_elements(spec.kind, counted_elements(spec), spec.group_size, gathers_all(spec));
}

std::int64_t sent_bytes(const std::vector<ExchangeSpec>& bucket) {
  return sent_elements(packed(bucket)) * static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

}  // namespace mtfc::runtime
