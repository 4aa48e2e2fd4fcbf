#include "data/check_input.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

std::string sized(const InputSpec& input, std::size_t i) {
  return input.dims[i] + "=" + std::to_string(input.extents[i]);
}

std::string define(const std::string& dim, std::int64_t size) {
  return "-D " + dim + "=" + std::to_string(size);
}

std::string from(const InputSpec& input) {
  return input.field.empty() ? "`" + input.source + "`"
                             : "`" + input.source + "." + input.field + "`";
}

/// "image[batch, chan, row, col]": with the dimensions of a record in another order that fits;
/// empty: none does.
std::string in_order_of(const InputSpec& input, const std::vector<std::int64_t>& record) {
  std::vector<std::size_t> left;
  for (std::size_t i = 1; i < input.dims.size(); ++i) left.push_back(i);
  std::string text = input.name + "[" + input.dims[0];
  for (const std::int64_t extent : record) {
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](std::size_t i) { return input.extents[i] == extent; });
    if (found == left.end()) return "";
    text += ", " + input.dims[*found];
    left.erase(found);
  }
  return text + "]";
}

/// "[28, 28]"
std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text = "[";
  for (std::size_t i = 0; i < extents.size(); ++i)
    text += (i ? ", " : "") + std::to_string(extents[i]);
  return text + "]";
}

/// What the dimensions of an input stand for, where it has another number of them than its data.
std::string advice_on_dims(const InputSpec& input, const std::vector<std::int64_t>& record) {
  const std::string first = "the first dimension numbers the examples";
  if (record.empty())
    return first + ", and a record is a single number: declare `" + input.name + "[" +
           (input.dims.empty() ? "batch" : input.dims[0]) + "]`";
  if (record.size() == 1)
    return first + ", the other one, of size " + std::to_string(record[0]) + ", is the record's";
  return first + ", the other " + std::to_string(record.size()) +
         " are the record's, in the file's order";
}

/// The extents that a dimension of the input answers to are all of the record's but those of 1.
bool has_needless_ones(const InputSpec& input, const std::vector<std::int64_t>& record) {
  std::vector<std::int64_t> rest;
  std::copy_if(record.begin(), record.end(), std::back_inserter(rest),
               [](std::int64_t extent) { return extent != 1; });
  return !input.extents.empty() && rest.size() < record.size() &&
         std::equal(rest.begin(), rest.end(), input.extents.begin() + 1, input.extents.end());
}

}  // namespace

std::string shape_text(const InputSpec& input) {
  std::string text = input.name + "[";
  for (std::size_t i = 0; i < input.extents.size(); ++i) text += (i ? ", " : "") + sized(input, i);
  return text + "]";
}

Status check_record(const InputSpec& input, const std::vector<std::int64_t>& record) {
  const std::string has = "a record of " + from(input) + " is " + extents_text(record);
  const std::string wants = ", but the input is `" + shape_text(input) + "`";
  if (input.extents.size() != record.size() + 1) {
    Error error{has + wants, {advice_on_dims(input, record)}, input.name};
    if (has_needless_ones(input, record))
      error.helps.emplace_back(
          "declare the dimension of 1, too, or store the array without it: `numpy.squeeze`");
    return error;
  }
  Error error{has + wants, {}, input.name};
  for (std::size_t i = 0; i < record.size(); ++i)
    if (record[i] != input.extents[i + 1])
      error.helps.push_back(record[i] > 0 ? define(input.dims[i + 1], record[i])
                                          : "it holds no numbers");
  if (const std::string order = in_order_of(input, record); !error.helps.empty() && !order.empty())
    error.helps = {"declare it in the file's order: `" + order + "`"};
  return error.helps.empty() ? Status() : Status(error);
}

Status check_batch(const InputSpec& input, Split split, std::int64_t available) {
  if (input.extents.empty())
    return Error{
        "`" + input.name + "` has no dimension, so nothing numbers the examples of " + from(input),
        {},
        input.name};
  if (split == Split::eval || available >= input.extents[0]) return {};
  Error error{"the training split of " + from(input) + " has " + counted(available, "example") +
                  ", fewer than one batch: " + sized(input, 0),
              {},
              input.name};
  error.helps.push_back(available > 0 ? define(input.dims[0], available)
                                      : "what `holdout` keeps for evaluation, and what is skipped "
                                        "as too long, is not in it");
  return error;
}

Status check_ids(const InputSpec& input, std::int64_t count, const std::string& what) {
  if (input.ids == 0 || count <= input.ids) return {};
  const std::string message = from(input) + " does not fit: " + what + ": " +
                              std::to_string(count) + ", " + input.ids_dim + " = " +
                              std::to_string(input.ids);
  std::vector<std::string> helps;  // none for a size that no dimension has
  if (count <= std::numeric_limits<std::int32_t>::max())
    helps.push_back(define(input.ids_dim, count));
  return Error{message, std::move(helps), input.name};
}

std::vector<std::string> advice_on_separators(const std::vector<std::string>& header) {
  if (header.size() != 1) return {};
  const std::string before = "cells are separated by commas, not by ";
  const std::string after = ", and numbers have a decimal point: `sed '";
  if (header[0].find(';') != std::string::npos)
    return {before + "`;`" + after + "s/,/./g; s/;/,/g'` makes both so"};
  if (header[0].find('\t') != std::string::npos)
    return {before + "tabs" + after + "s/,/./g; s/\\t/,/g'` makes both so"};
  return {};
}

Error unknown_field(const InputSpec& input, const std::vector<std::string>& fields) {
  std::string list;
  for (const std::string& field : fields) list += (list.empty() ? "`" : ", `") + field + "`";
  const std::string problem = input.field.empty() ? "needs a field: `" + input.source + ".NAME`"
                                                  : "has no field `" + input.field + "`";
  if (fields.empty())
    return {
        "`" + input.source + "` has no fields", {"write `from " + input.source + "`"}, input.name};
  Error error{"`" + input.source + "` " + problem, {"its fields: " + list}, input.name};
  if (const std::string near = suggested(input.field, fields); !near.empty())
    error.helps.insert(error.helps.begin(), near);
  for (std::string& advice : advice_on_separators(fields)) error.helps.push_back(std::move(advice));
  return error;
}

Error wrong_type(const InputSpec& input, const std::string& has) {
  const std::string type(name(input.dtype));
  return {from(input) + " has " + has + ", but the input `" + input.name + "` is " + type,
          {},
          input.name};
}

}  // namespace mtfc::runtime
