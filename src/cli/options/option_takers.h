// How an option's argument gets into Options: each gives OptionRow::take.
#pragma once
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "cli/options/options.h"
#include "support/text.h"

namespace mtfc::cli {

using Taker = std::function<std::string(Options&, const std::string&)>;

/// `Text`: std::string, or an optional one.
template <class Text>
Taker text_into(Text Options::*member) {
  return [member](Options& o, const std::string& text) {
    o.*member = text;
    return std::string();
  };
}
/// A name, mostly of a file: an empty one is what an unset variable of a shell leaves.
inline std::string wrong_name(const std::string& text) {
  return text.empty() ? "is given an empty name" : "";
}
inline Taker name_into(std::string Options::*member) {
  return [member](Options& o, const std::string& text) {
    o.*member = text;
    return wrong_name(text);
  };
}
/// A file or folder to write.
inline Taker output_into(std::string Options::*member) {
  return [member](Options& o, const std::string& text) {
    o.*member = text;
    return text == "-" ? "takes a name, not `-` (standard output is `/dev/stdout`)"
                       : wrong_name(text);
  };
}
inline Taker set_flag(bool Options::*member) {
  return [member](Options& o, const std::string&) {
    o.*member = true;
    return std::string();
  };
}

/// A whole number from `least` to `most`, given to `keep`.
template <class Keep>
Taker whole_number(std::int64_t least, std::int64_t most, Keep keep) {
  return [=](Options& o, const std::string& text) {
    const auto value = read_number<std::int64_t>(text);
    if (!value || *value < least || *value > most)
      return "takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
             ", not " + backquoted(text, 40);
    keep(o, *value);
    return std::string();
  };
}

/// A finite number from `least` to `most`, given to `keep`.
template <class Keep>
Taker real_number(double least, double most, Keep keep) {
  return [=](Options& o, const std::string& text) {
    const auto value = read_number<double>(text);
    if (!value || !std::isfinite(*value) || *value < least || *value > most)
      return "takes a number from " + shortest(least) + " to " + shortest(most) + ", not " +
             backquoted(text, 40);
    keep(o, *value);
    return std::string();
  };
}

/// "name=value" in two, given to `keep`.
template <class Keep>
Taker name_and_value(Keep keep) {
  return [keep](Options& o, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t end = text.find_last_not_of(" =", equals);
    const std::size_t begin = text.find_first_not_of(' ');
    if (equals == std::string::npos || end == std::string::npos || begin > end)
      return "takes name=value, and " + backquoted(text, 40) + " is not of the form name=value";
    if (text.find_first_not_of(' ', equals + 1) == std::string::npos)
      return "takes name=value, and " + backquoted(text, 40) + " has no value";
    keep(o, KeyValue{text.substr(begin, end - begin + 1), text.substr(equals + 1)});
    return std::string();
  };
}

}  // namespace mtfc::cli
