#include "jobs/svg_canvas.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace realward {
namespace {

struct Variable {
  const char* name;
  const char* light;
  const char* dark;
};

// Colours 0…6 after Okabe and Ito; the dark set is lifted to keep a contrast of 4.5 on the dark
// panel.
constexpr std::array<Variable, 14> kVariables = {{
    {"--rw-0", "#0a6fb0", "#5ab4f0"},
    {"--rw-1", "#c8500a", "#f58b4c"},
    {"--rw-2", "#0b8a68", "#3fc9a2"},
    {"--rw-3", "#b05a92", "#e59cc8"},
    {"--rw-4", "#a87400", "#edc04a"},
    {"--rw-5", "#3b8fc4", "#a5d8f7"},
    {"--rw-6", "#6b7280", "#9aa3b2"},
    {"--rw-7", "#20262e", "#e7eaef"},
    {"--rw-ink", "#20262e", "#e7eaef"},
    {"--rw-muted", "#596270", "#9da7b5"},
    {"--rw-axis", "#aab2bd", "#4c5766"},
    {"--rw-grid", "#e6e9ee", "#2b323c"},
    {"--rw-panel", "#ffffff", "#171b21"},
    {"--rw-on", "#ffffff", "#10151b"},  // text on a palette colour
}};

// Length of the UTF-8 sequence that starts here; 1 for a stray byte.
std::size_t SequenceLength(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (lead >= 0xF5 || at + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 1;
  }
  return length;
}

double EmWidth(std::string_view glyph) {
  if (glyph.size() == 4 || (glyph.size() == 3 && static_cast<unsigned char>(glyph[0]) >= 0xE3))
    return 1.05;
  if (glyph.size() > 1) return 0.62;
  const char c = glyph[0];
  if (std::string_view("iljtf.,:;'|!()[] ").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.95;
  if (c >= 'A' && c <= 'Z') return 0.72;
  return 0.6;
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = SequenceLength(text, i);
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (length > 1) {
      out.append(text.substr(i, length));
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if (byte >= 0x80 || (byte < 0x20 && c != '\n' && c != '\t')) {
      out += "\ufffd";
    } else {
      out += c;
    }
    i += length;
  }
  return out;
}

double TextWidth(std::string_view text, double size) {
  double ems = 0.0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = SequenceLength(text, i);
    ems += EmWidth(text.substr(i, length));
    i += length;
  }
  return ems * size;
}

std::string FitText(std::string_view text, double size, double width) {
  if (TextWidth(text, size) <= width) return std::string(text);
  double used = TextWidth("…", size);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = SequenceLength(text, end);
    used += TextWidth(text.substr(end, length), size);
    if (used > width) break;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string PaletteCss(bool dark) {
  std::string css;
  for (const Variable& variable : kVariables) {
    css += fmt::format("{}:{};", variable.name, dark ? variable.dark : variable.light);
  }
  return css;
}

std::string PlotCss() {
  std::string css =
      ".rw-plot{display:block;font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Liberation "
      "Sans',"
      "sans-serif;font-size:12px;font-variant-numeric:tabular-nums}"
      ".rw-plot text{fill:var(--rw-muted);stroke:none}"
      ".rw-plot .t{fill:var(--rw-ink);font-weight:600;font-size:13px}"
      ".rw-plot .k{fill:var(--rw-ink)}"
      ".rw-plot .b{font-weight:600}"
      ".rw-plot .s{font-size:10.5px}"
      ".rw-plot .on{fill:var(--rw-on)}"
      ".rw-plot .g{stroke:var(--rw-grid);stroke-width:1;fill:none}"
      ".rw-plot .a{stroke:var(--rw-axis);stroke-width:1;fill:none}"
      ".rw-plot .l{fill:none;stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}"
      ".rw-plot .w{stroke-width:1.5}"
      ".rw-plot .v{stroke-width:5;stroke-opacity:.3}"
      ".rw-plot .d{stroke-dasharray:5 3.5;stroke-linecap:butt}"
      ".rw-plot .p{stroke:var(--rw-panel);stroke-width:1.2}"
      ".rw-plot .o{fill:var(--rw-panel);stroke-width:1.6}"
      ".rw-plot .h{stroke:none;fill-opacity:.2}"
      ".rw-plot .h.f6{fill-opacity:.11}"
      ".rw-plot .q{stroke:none;fill:var(--rw-grid)}";
  for (int i = 0; i <= kInk; ++i) {
    css += fmt::format(".rw-plot .c{0}{{stroke:var(--rw-{0})}}.rw-plot .f{0}{{fill:var(--rw-{0})}}",
                       i);
  }
  return css;
}

std::string StandalonePlotCss() {
  std::string css = PlotCss();
  for (const Variable& variable : kVariables) {
    const std::string reference = fmt::format("var({})", variable.name);
    for (std::size_t at = css.find(reference); at != std::string::npos;
         at = css.find(reference, at)) {
      css.replace(at, reference.size(), variable.light);
    }
  }
  return css;
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view description)
    : width_(width), height_(height), description_(EscapeXml(description)) {}

void SvgCanvas::Text(double x, double y, std::string_view text, std::string_view classes,
                     Anchor anchor) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"", Coordinate(x), Coordinate(y));
  if (!classes.empty()) body_ += fmt::format(" class=\"{}\"", classes);
  if (anchor == Anchor::kMiddle) body_ += " text-anchor=\"middle\"";
  if (anchor == Anchor::kEnd) body_ += " text-anchor=\"end\"";
  body_ += fmt::format(">{}</text>", EscapeXml(text));
}

void SvgCanvas::Line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>",
                       Coordinate(x1), Coordinate(y1), Coordinate(x2), Coordinate(y2), classes);
}

void SvgCanvas::Rect(double x, double y, double width, double height, std::string_view classes,
                     std::string_view tip, double opacity) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"", Coordinate(x),
                  Coordinate(y), Coordinate(width), Coordinate(height), classes);
  if (opacity < 1.0) body_ += fmt::format(" fill-opacity=\"{:.2f}\"", opacity);
  body_ += tip.empty() ? "/>" : fmt::format("><title>{}</title></rect>", EscapeXml(tip));
}

void SvgCanvas::Circle(double x, double y, double radius, std::string_view classes,
                       std::string_view tip) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"", Coordinate(x),
                       Coordinate(y), Coordinate(radius), classes);
  body_ += tip.empty() ? "/>" : fmt::format("><title>{}</title></circle>", EscapeXml(tip));
}

void SvgCanvas::Path(const std::vector<std::vector<std::pair<double, double>>>& runs,
                     std::string_view classes, bool close) {
  std::string d;
  for (const auto& run : runs) {
    if (run.empty()) continue;
    char command = 'M';
    for (const auto& [x, y] : run) {
      d += fmt::format("{}{} {}", command, Coordinate(x), Coordinate(y));
      command = 'L';
    }
    if (run.size() == 1) d += "h0";  // a lone point between gaps still shows, by its round cap
    if (close) d += 'Z';
  }
  if (!d.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", classes, d);
}

void SvgCanvas::Clip(double x, double y, double width, double height) {
  // A nested element clips by itself, so no identifier has to be unique in the page.
  body_ += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">", Coordinate(x),
                       Coordinate(y), Coordinate(width), Coordinate(height));
}

void SvgCanvas::Unclip() { body_ += "</svg>"; }

void SvgCanvas::Raw(std::string_view svg) { body_ += svg; }

std::string SvgCanvas::Finish(bool standalone) const {
  std::string out = fmt::format(
      "<svg{} class=\"rw-plot\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{}\">",
      standalone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", Coordinate(width_),
      Coordinate(height_), Coordinate(width_), Coordinate(height_), description_);
  if (standalone) {
    out += fmt::format("<style>{}</style><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
                       StandalonePlotCss());
  }
  return out + body_ + "</svg>\n";
}

}  // namespace realward
