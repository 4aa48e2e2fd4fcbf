#include "runtime/exchange.h"

namespace mtfc::runtime {
namespace {

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents[i];
  }
  return strides;
}

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

void renumber(const std::vector<int>& from, const std::vector<int>& to, const std::int64_t* sizes,
              std::int64_t* coordinates) {
  std::int64_t number = 0;
  for (int axis : from) number = number * sizes[axis] + coordinates[axis];
  for (std::size_t i = to.size(); i-- > 0;) {
    coordinates[to[i]] = number % sizes[to[i]];
    number /= sizes[to[i]];
  }
}

std::int64_t block_elements(const ExchangeSpec& spec) {
  std::int64_t product = 1;
  for (std::int64_t extent : spec.extents) product *= extent;
  return product;
}

bool source_blocks_dense(const ExchangeSpec& spec) {
  return dense(spec.extents, spec.source_strides);
}
bool result_blocks_dense(const ExchangeSpec& spec) {
  return dense(spec.extents, spec.result_strides);
}

std::int64_t counted_elements(const ExchangeSpec& spec) {
  return spec.kind == ExchangeSpec::Kind::all_gather ? spec.result_elements : spec.source_elements;
}

CopySpec pack(const ExchangeSpec& spec) {
  return block_copy(spec, spec.source_strides, dense_strides(spec.extents));
}
CopySpec unpack(const ExchangeSpec& spec) {
  return block_copy(spec, dense_strides(spec.extents), spec.result_strides);
}
CopySpec transfer(const ExchangeSpec& spec) {
  return block_copy(spec, spec.source_strides, spec.result_strides);
}

bool gathers_all(const ExchangeSpec& spec) { return spec.source_elements < kGatherAllElements; }

bool sends_from_place(const ExchangeSpec& spec) {
  const bool adjacent = spec.source_step == 0 || spec.source_step == block_elements(spec);
  return adjacent && source_blocks_dense(spec);
}

bool receives_in_place(const ExchangeSpec& spec) {
  const bool adjacent = spec.result_step == 0 || spec.result_step == block_elements(spec);
  return adjacent && result_blocks_dense(spec);
}

std::int64_t exchange_scratch(const ExchangeSpec& spec) {
  const std::int64_t all = spec.parts * block_elements(spec);
  const std::int64_t sent = sends_from_place(spec) ? 0 : all;
  const std::int64_t part = (spec.source_elements + spec.parts - 1) / spec.parts;
  std::int64_t elements = 0;
  switch (spec.kind) {
    case ExchangeSpec::Kind::all_reduce:
      elements = gathers_all(spec) ? all : (spec.parts + 1) * part;
      break;
    case ExchangeSpec::Kind::reduce_scatter:
      elements = sent + all;
      break;
    case ExchangeSpec::Kind::all_gather:
      elements =
          (sends_from_place(spec) ? 0 : block_elements(spec)) + (receives_in_place(spec) ? 0 : all);
      break;
    case ExchangeSpec::Kind::all_to_all:
      elements = sent + (receives_in_place(spec) ? 0 : all);
      break;
    case ExchangeSpec::Kind::permute:
      elements = (sends_from_place(spec) ? 0 : spec.source_elements) +
                 (receives_in_place(spec) ? 0 : spec.result_elements);
      break;
  }
  return elements * static_cast<std::int64_t>(size_of(spec.dtype));
}

std::int64_t sent_elements(const ExchangeSpec& spec) {
  const std::int64_t others = spec.parts - 1, block = block_elements(spec);
  switch (spec.kind) {
    case ExchangeSpec::Kind::all_reduce: {
      if (gathers_all(spec)) return block * others;
      // Everybody's part to its owner, then the sum of one's own to everybody.
      const std::int64_t part = (spec.source_elements + spec.parts - 1) / spec.parts;
      return spec.source_elements - part + part * others;
    }
    case ExchangeSpec::Kind::reduce_scatter:
    case ExchangeSpec::Kind::all_gather:
    case ExchangeSpec::Kind::all_to_all:
      return block * others;
    case ExchangeSpec::Kind::permute:
      return block;
  }
  return 0;
}

std::int64_t sent_bytes(const std::vector<ExchangeSpec>& bucket) {
  return sent_elements(bucket.size() == 1 ? bucket[0] : packed(bucket)) *
         static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

ExchangeSpec packed(const std::vector<ExchangeSpec>& bucket) {
  ExchangeSpec all = bucket.front();
  all.source_elements = 0;
  for (const ExchangeSpec& one : bucket) all.source_elements += one.source_elements;
  all.result_elements = all.source_elements;
  all.extents = {all.source_elements};
  all.source_strides = all.result_strides = {1};
  return all;
}

std::int64_t bucket_scratch(const std::vector<ExchangeSpec>& bucket) {
  if (bucket.size() == 1) return exchange_scratch(bucket[0]);
  const ExchangeSpec all = packed(bucket);
  return exchange_scratch(all) +
         2 * all.source_elements * static_cast<std::int64_t>(size_of(all.dtype));
}

}  // namespace mtfc::runtime
