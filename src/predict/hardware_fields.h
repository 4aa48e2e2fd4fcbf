// The fields of one line of a hardware description, taken one by one: what nobody takes is unknown.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "messages/diagnostic.h"

namespace mtfc::predict {

struct Limits {
  double least, most;
};

/// Of a description: what is wrong with it.
void report_invalid(Diagnostics& diagnostics, std::string message, Span span,
                    std::string help = "");

class Fields {
 public:
  Fields(const HardwareLine& line, Diagnostics& diagnostics);

  /// The value of a field of this kind, not so large or small that a time would not be a number;
  /// nothing if it is not given or is something else, which is reported.
  std::optional<double> take(const std::string& name, Quantity::Kind kind);
  std::optional<double> take(const std::string& name, Quantity::Kind kind, Limits limits);
  /// The same, and its absence is reported.
  std::optional<double> need(const std::string& name, Quantity::Kind kind);
  /// A whole number.
  std::optional<std::int64_t> take_count(const std::string& name, std::int64_t most);
  /// Reports the fields that were not asked for.
  void finish();

 private:
  struct Known {
    std::string name;
    Quantity::Kind kind;
    bool needed = false;
  };

  const HardwareField* find(const std::string& name) const;
  std::string meant_by(const HardwareField& unknown) const;
  void error(std::string message, Span span, std::string help = "") {
    report_invalid(diagnostics_, std::move(message), span, std::move(help));
  }

  const HardwareLine& line_;
  Diagnostics& diagnostics_;
  std::vector<Known> known_;
};

}  // namespace mtfc::predict
