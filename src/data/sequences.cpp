#include "data/sequences.h"

#include <algorithm>
#include <numeric>

#include "data/check_input.h"
#include "data/order.h"
#include "data/text/lines.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

/// An example's sequence in one stream.
struct Piece {
  const std::int32_t* ids = nullptr;
  std::int64_t size = 0;
};

enum class SequenceKind { tokens, segment, position };

/// Rows of a split: row r holds examples[ends[r - 1]] .. examples[ends[r] - 1].
struct Rows {
  std::vector<std::int64_t> examples, ends;
  std::int64_t count() const { return static_cast<std::int64_t>(ends.size()); }
};

class SequenceSource final : public Source {
 public:
  SequenceSource(std::string name, SequenceRules rules, SequenceSplits splits,
                 std::unique_ptr<Tokenizer> tokenizer, std::int64_t seed)
      : name_(std::move(name)),
        rules_(std::move(rules)),
        splits_(std::move(splits)),
        tokenizer_(std::move(tokenizer)),
        seed_(seed),
        fields_(fields_of(rules_.streams)),
        lengths_(rules_.streams.size(), 0),
        order_(seed, 0, 0) {
    make_rows();
  }

  std::int64_t examples(Split split) const override { return order_.examples(split); }
  Tokenizer* tokenizer() override { return tokenizer_.get(); }

  Status accept(const InputSpec& input) override {
    const Field* field = find(input.field);
    if (field == nullptr) return unknown_field(input, field_names());
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    if (Status fits = set_length(input, field->stream); !fits) return fits;
    if (field->kind == SequenceKind::tokens)
      return check_ids(input, tokenizer_->size(), "tokens in the vocabulary, with pad and end");
    if (field->kind == SequenceKind::position)
      return check_ids(input, input.extents[1], "positions in a row");
    return check_ids(input, most_segments() + 1, "segments in a row, with that of padding");
  }

  Status ready(const InputSpec& input, Split split) const override {
    return check_batch(input, split, examples(split));
  }

  Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
              HostTensor& out) override {
    const Field& field = *find(input.field);
    row_.resize(static_cast<std::size_t>(lengths_[field.stream]));
    const auto first = row_.begin() + part.begin[1], last = first + part.extents[1];
    auto* to = out.as<std::int32_t>();
    for (std::int64_t i = 0; i < part.extents[0]; ++i) {
      // A row is made whole: where a piece begins depends on those before it.
      const std::int64_t row = order_.example(batch, part.begin[0] + i);
      const std::int64_t used =
          row < 0 ? 0 : write_row(field, row, row_.data(), lengths_[field.stream]);
      std::fill(row_.begin() + used, row_.end(), 0);
      to = std::copy(first, last, to);
    }
    return {};
  }

 private:
  struct Field {
    std::string name;
    std::size_t stream = 0;
    SequenceKind kind = SequenceKind::tokens;
  };

  static std::vector<Field> fields_of(const std::vector<std::string>& streams) {
    std::vector<Field> fields;
    const auto prefix = [&](std::size_t s) { return streams.size() == 1 ? "" : streams[s] + "_"; };
    for (std::size_t s = 0; s < streams.size(); ++s)
      fields.push_back({streams[s], s, SequenceKind::tokens});
    for (std::size_t s = 0; s < streams.size(); ++s) {
      fields.push_back({prefix(s) + "segment", s, SequenceKind::segment});
      fields.push_back({prefix(s) + "position", s, SequenceKind::position});
    }
    return fields;
  }

  const Field* find(const std::string& name) const {
    for (const Field& field : fields_)
      if (field.name == name) return &field;
    return nullptr;
  }

  std::vector<std::string> field_names() const { return names_of(fields_); }

  /// All inputs of a stream have one length. A new one says anew which rows there are.
  Status set_length(const InputSpec& input, std::size_t stream) {
    if (input.extents.size() != 2)
      return Error{"an example of `" + name_ + "." + input.field + "` is one row of ids, but the " +
                       "input is `" + shape_text(input) + "`",
                   {"declare it with two dimensions: examples, then positions in the row"},
                   input.name};
    std::int64_t& length = lengths_[stream];
    if (length == input.extents[1]) return {};
    if (length != 0)
      return Error{"all inputs from `" + name_ + "." + rules_.streams[stream] +
                       "` have one length; here are " + std::to_string(length) + " and " +
                       std::to_string(input.extents[1]),
                   {},
                   input.name};
    length = input.extents[1];
    if (rules_.too_long == SequenceRules::TooLong::error)
      if (Status fits = check_longest(input, stream); !fits) return fits;
    make_rows();
    return {};
  }

  Status check_longest(const InputSpec& input, std::size_t stream) const {
    std::int64_t longest = 0, line = 0;
    const std::string* file = nullptr;
    for (const Sequences* part : {&splits_.file, &splits_.eval})
      for (std::size_t i = 0; i < part->lines.size(); ++i)
        if (const std::int64_t size = piece(*part, i, stream).size; size > longest) {
          longest = size;
          line = part->lines[i];
          file = &part->file;
        }
    const std::string& dim = input.dims[1];
    if (longest <= input.extents[1]) return {};
    return Error{line_location(*file, line) + ": `" + rules_.streams[stream] + "` has " +
                     std::to_string(longest) + " tokens with its end, " + dim + " = " +
                     std::to_string(input.extents[1]),
                 {"-D " + dim + "=" + std::to_string(longest),
                  "or cut such lines with `too_long=\"trim\"`, or leave them out with \"skip\""},
                 input.name};
  }

  Piece piece(const Sequences& part, std::size_t example, std::size_t stream) const {
    const std::size_t at = example * rules_.streams.size() + stream;
    const std::int64_t begin = at == 0 ? 0 : part.ends[at - 1];
    return {part.ids.data() + begin, part.ends[at] - begin};
  }

  /// Its tokens in a row: all, or as many as the length allows. A length of 0 is not known yet.
  std::int64_t tokens_of(const Sequences& part, std::size_t example, std::size_t stream) const {
    const std::int64_t size = piece(part, example, stream).size;
    return lengths_[stream] == 0 ? size : std::min(size, lengths_[stream]);
  }

  bool too_long(const Sequences& part, std::size_t example) const {
    for (std::size_t stream = 0; stream < lengths_.size(); ++stream)
      if (piece(part, example, stream).size > tokens_of(part, example, stream)) return true;
    return false;
  }

  /// Fills rows in the order of the file until the next example does not fit, in any stream.
  Rows rows_of(const Sequences& part, std::size_t first, std::size_t last) const {
    Rows rows;
    std::vector<std::int64_t> used(lengths_.size(), 0);
    for (std::size_t example = first; example < last; ++example) {
      if (rules_.too_long == SequenceRules::TooLong::skip && too_long(part, example)) continue;
      bool fits = rules_.pack;
      for (std::size_t stream = 0; stream < used.size(); ++stream) {
        const std::int64_t sum = used[stream] + tokens_of(part, example, stream);
        fits = fits && (lengths_[stream] == 0 || sum <= lengths_[stream]);
      }
      if (!fits && !rows.examples.empty()) {
        rows.ends.push_back(static_cast<std::int64_t>(rows.examples.size()));
        std::fill(used.begin(), used.end(), 0);
      }
      for (std::size_t stream = 0; stream < used.size(); ++stream)
        used[stream] += tokens_of(part, example, stream);
      rows.examples.push_back(static_cast<std::int64_t>(example));
    }
    if (!rows.examples.empty())
      rows.ends.push_back(static_cast<std::int64_t>(rows.examples.size()));
    return rows;
  }

  bool own_eval() const { return !splits_.eval.file.empty(); }

  void make_rows() {
    const auto train = static_cast<std::size_t>(splits_.train);
    train_ = rows_of(splits_.file, 0, train);
    eval_ = own_eval() ? rows_of(splits_.eval, 0, splits_.eval.lines.size())
                       : rows_of(splits_.file, train, splits_.file.lines.size());
    order_ = ExampleOrder(seed_, train_.count(), eval_.count());
  }

  std::int64_t most_segments() const {
    std::int64_t most = 1;
    for (const Rows* rows : {&train_, &eval_})
      for (std::size_t r = 0; r < rows->ends.size(); ++r)
        most = std::max(most, rows->ends[r] - (r == 0 ? 0 : rows->ends[r - 1]));
    return most;
  }

  /// Writes one row's ids, segments or positions; returns how many places are used.
  std::int64_t write_row(const Field& field, std::int64_t row, std::int32_t* to,
                         std::int64_t length) const {
    const bool training = row < train_.count();
    const Rows& rows = training ? train_ : eval_;
    const Sequences& part = training || !own_eval() ? splits_.file : splits_.eval;
    const auto r = static_cast<std::size_t>(training ? row : row - train_.count());
    std::int64_t used = 0;
    std::int32_t segment = 0;
    for (std::int64_t i = r == 0 ? 0 : rows.ends[r - 1]; i < rows.ends[r]; ++i) {
      const auto example = static_cast<std::size_t>(rows.examples[static_cast<std::size_t>(i)]);
      const Piece ids = piece(part, example, field.stream);
      const std::int64_t size = std::min(ids.size, length - used);
      ++segment;
      if (field.kind == SequenceKind::tokens) std::copy_n(ids.ids, size, to + used);
      if (field.kind == SequenceKind::segment) std::fill_n(to + used, size, segment);
      if (field.kind == SequenceKind::position) std::iota(to + used, to + used + size, 0);
      used += size;
    }
    return used;
  }

  std::string name_;
  SequenceRules rules_;
  SequenceSplits splits_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::int64_t seed_;
  std::vector<Field> fields_;
  std::vector<std::int64_t> lengths_;  // of each stream's rows; 0: no input asked for it yet
  Rows train_, eval_;
  ExampleOrder order_;
  std::vector<std::int32_t> row_;  // kept for its memory
};

}  // namespace

std::unique_ptr<Source> make_sequence_source(std::string name, SequenceRules rules,
                                             SequenceSplits splits,
                                             std::unique_ptr<Tokenizer> tokenizer,
                                             std::int64_t seed) {
  return std::make_unique<SequenceSource>(std::move(name), std::move(rules), std::move(splits),
                                          std::move(tokenizer), seed);
}

}  // namespace mtfc::runtime
