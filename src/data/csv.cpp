// csv(FILE, holdout=0.1) or csv(FILE, eval="other.csv"): a field for each column of the header
// line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "data/args.h"
#include "data/check_input.h"
#include "data/table.h"
#include "data/text/lines.h"
#include "data/text/utf8.h"
#include "support/text.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

struct Sheet {
  std::vector<std::string> header;
  std::vector<std::vector<double>> columns;
  std::vector<std::string> trouble;  // per column: its first cell that is no number
  std::vector<std::int64_t> lines;   // by row, where it begins
  std::vector<std::map<std::int64_t, std::int64_t>> below;  // per column: by row, lines of cells
                                                            // that begin below those
  std::int64_t rows = 0;
};

struct CellText {
  std::string text;
  std::int64_t line = 0;  // where it begins
};

bool is_padding(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
}

/// Splits one record off the front; cells that begin with a quote may hold commas, line ends and
/// doubled quotes. `line`: that of the front, from 1.
Result<std::vector<CellText>> take_record(std::string_view& text, std::int64_t& line,
                                          const std::string& path) {
  std::vector<CellText> cells = {{"", line}};
  const auto at = [&](std::int64_t where) { return line_location(path, where); };
  bool quoted = false, closed = false;  // within quotes, behind those of this cell
  std::int64_t opened = 0;              // the line of the last quote that opens
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      cells.back().text += text[++i];
    } else if (c == '"' && (quoted || (!closed && trimmed(cells.back().text).empty()))) {
      closed = quoted;
      quoted = !quoted;
      opened = line;
    } else if (c == ',' && !quoted) {
      cells.push_back({"", line});
      closed = false;
    } else if (c == '\n' && !quoted) {
      ++i;
      break;
    } else if (c == '\r' && !quoted) {
      if (const std::size_t end = text.find_first_not_of('\r', i);
          end != text.npos && text[end] != '\n')
        return Error{at(line) + ": a carriage return within the line", {}, {}};
    } else if (closed && !is_padding(c)) {
      return Error{at(line) + ": text follows the closing quote of a cell",
                   {"a quote within quotes is written twice"},
                   {}};
    } else {
      cells.back().text += c;
    }
  }
  if (quoted) return Error{at(opened) + ": a quote is opened and not closed", {}, {}};
  text.remove_prefix(i);
  return cells;
}

bool is_empty(const std::vector<CellText>& cells) {
  return cells.size() == 1 && trimmed(cells[0].text).empty();
}

struct Cell {
  double value = 0;
  const char* trouble = nullptr;  // "is not a number"
};

bool reads_as_number(const std::string& text) {
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && stop == text.data() + text.size();
}

/// What is no number, but would be one with the commas read as they may be meant: "1,5"; "1,234"
/// and "1,234,567.5".
const char* about_commas(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) return nullptr;
  std::string number(text);
  number[comma] = '.';
  const std::size_t point = std::min(text.find('.'), text.size());
  const bool may_be_decimal = point == text.size() && reads_as_number(number);
  bool in_thousands = true;
  for (std::size_t at = comma; at < point; at += 4)
    in_thousands = in_thousands && text[at] == ',' && at + 4 <= point;
  number = std::string(text);
  std::erase(number, ',');
  in_thousands = in_thousands && reads_as_number(number);
  if (in_thousands && may_be_decimal)
    return "is not a number: decimals follow a point, and thousands are not separated";
  if (in_thousands) return "is not a number: thousands are not separated";
  return may_be_decimal ? "is not a number: decimals follow a point" : nullptr;
}

Cell read_cell(std::string_view text) {
  Cell cell;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), cell.value);
  if (const char* trouble = about_commas(text)) return {0, trouble};
  if (text.empty() || stop != text.data() + text.size()) return {0, "is not a number"};
  if (failure != std::errc::result_out_of_range) return cell;
  // That is said of what rounds to 0, too.
  cell.value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(cell.value)) return {0, "is larger than any number of 64 bits"};
  return cell;
}

/// The beginning of a cell, in one line, for messages.
std::string shown(std::string_view text) {
  constexpr int most = 40;
  std::string all;
  for (int count = 0; !text.empty(); ++count) {
    if (count == most) return all + "...";
    const CodePoint next = decode_utf8(text, 0);
    const bool is_control = next.value < ' ';
    all += is_control ? std::string_view(" ") : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return all;
}

/// Of the file `path`.
void add_cell(Sheet& sheet, std::size_t column, const CellText& cell, const std::string& path) {
  const std::string_view text = trimmed(cell.text);
  const Cell read = read_cell(text);
  if (read.trouble && sheet.trouble[column].empty())
    sheet.trouble[column] =
        line_location(path, cell.line) + ": `" + shown(text) + "` " + read.trouble;
  sheet.columns[column].push_back(read.value);
}

/// One record below the header.
void add_row(Sheet& sheet, const std::vector<CellText>& cells, const std::string& path) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    add_cell(sheet, c, cells[c], path);
    if (cells[c].line != cells[0].line) sheet.below[c].emplace(sheet.rows, cells[c].line);
  }
  sheet.lines.push_back(cells[0].line);
  ++sheet.rows;
}

Status read_header(Sheet& sheet, const std::vector<CellText>& cells, const std::string& path) {
  for (const CellText& cell : cells) {
    const std::string name(trimmed(cell.text));
    const auto& known = sheet.header;
    if (!name.empty() && std::find(known.begin(), known.end(), name) != known.end())
      return Error{line_location(path, cell.line) + ": two columns are called `" + name + "`",
                   {"give each column a name of its own"},
                   {}};
    sheet.header.push_back(name);
  }
  sheet.columns.resize(sheet.header.size());
  sheet.trouble.resize(sheet.header.size());
  sheet.below.resize(sheet.header.size());
  return {};
}

Result<Sheet> read_sheet(const std::string& path) {
  const Result<std::string> whole = read_text(path);
  if (!whole) return whole.error();
  std::string_view text = *whole;
  std::int64_t line = 1;
  Sheet sheet;
  if (text.find('\n') == text.npos && text.find('\r') != text.npos)
    return Error{
        "`" + path + "`: its lines end with carriage returns alone, not with line feeds", {}, {}};
  while (!text.empty()) {
    const Result<std::vector<CellText>> record = take_record(text, line, path);
    if (!record) return record.error();
    const std::vector<CellText>& cells = *record;
    if (is_empty(cells)) continue;
    if (sheet.header.empty()) {
      if (Status read = read_header(sheet, cells, path); !read) return read.error();
      continue;
    }
    if (cells.size() != sheet.header.size()) {
      std::vector<std::string> advice = advice_on_separators(sheet.header);
      if (advice.empty() && cells.size() > sheet.header.size())
        advice = {"a cell with a comma in it is written in quotes; decimals follow a point"};
      return Error{line_location(path, cells[0].line) + " has " + counted(cells.size(), "cell") +
                       ", its header has " + std::to_string(sheet.header.size()),
                   std::move(advice),
                   {}};
    }
    add_row(sheet, cells, path);
  }
  if (sheet.header.empty())
    return Error{"`" + path + "` is empty: its first line names the columns", {}, {}};
  return sheet;
}

Status append(Sheet& sheet, const Sheet& more, const std::string& path) {
  if (sheet.header != more.header)
    return Error{"`" + path + "` has another header than the training file", {}, {}};
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    sheet.columns[c].insert(sheet.columns[c].end(), more.columns[c].begin(), more.columns[c].end());
    if (sheet.trouble[c].empty()) sheet.trouble[c] = more.trouble[c];
    for (const auto& [row, line] : more.below[c]) sheet.below[c].emplace(sheet.rows + row, line);
  }
  sheet.lines.insert(sheet.lines.end(), more.lines.begin(), more.lines.end());
  sheet.rows += more.rows;
  return {};
}

Column as_column(const Sheet& sheet, std::size_t c) {
  NpyArray values{'f', 8, {sheet.rows}, Bytes(sheet.columns[c].size() * sizeof(double))};
  if (!values.data.empty())
    std::memcpy(values.data.data(), sheet.columns[c].data(), values.data.size());
  Column column = make_column(sheet.header[c], std::move(values));
  if (!sheet.trouble[c].empty()) column.unusable = sheet.trouble[c];
  return column;
}

}  // namespace

Result<Table> open_csv(const SourceSpec& spec) {
  Args args(spec);
  const std::string path = args.path("file");
  const std::string eval = args.path("eval");
  const double holdout = args.number("holdout");
  if (Status read = args.finish(); !read) return read.error();
  Result<Sheet> sheet = read_sheet(path);
  if (!sheet) return sheet.error();
  Result<std::int64_t> train = rows_for_training(sheet->rows, holdout, spec.name);
  if (!train) return train.error();
  if (!eval.empty()) {
    train = sheet->rows;
    const Result<Sheet> more = read_sheet(eval);
    if (!more) return more.error();
    if (Status joined = append(*sheet, *more, eval); !joined) return joined.error();
  }
  Table table{spec.name, {}, sheet->rows, *train};
  const auto lines = std::make_shared<const std::vector<std::int64_t>>(std::move(sheet->lines));
  const std::int64_t of_eval = eval.empty() ? sheet->rows : *train;
  for (std::size_t c = 0; c < sheet->header.size(); ++c) {
    table.columns.push_back(as_column(*sheet, c));
    table.columns.back().location = [=, below = std::move(sheet->below[c])](std::int64_t row) {
      const auto own = below.find(row);
      return line_location(
          row < of_eval ? path : eval,
          own == below.end() ? (*lines)[static_cast<std::size_t>(row)] : own->second);
    };
  }
  return table;
}

}  // namespace mtfc::runtime
