// Figures, names and where things are, as tables for people have them.
#pragma once
#include <string>

namespace mtfc {

/// "1.23 G" and a unit that is appended: "1.23 GFLOP".
std::string scaled(double value, const char* unit);
/// "12.3 ms", "4.56 h".
std::string duration(double seconds);

/// Long names lose their middle: the end tells tensors apart, the beginning groups them. `width`:
/// at least 6.
std::string shortened(const std::string& name, std::size_t width);

/// "models/gpt.mtf:14" in `width` columns; where that is too long, without folders.
std::string source_in(const std::string& source, std::size_t width);

/// A name and where it is, "attn.q  models/gpt.mtf:14", in `width` columns; where that is too long,
/// without folders.
std::string name_at(const std::string& name, const std::string& source, std::size_t width);

}  // namespace mtfc
