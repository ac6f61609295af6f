// Shapes and texts as SVG, coloured by classes whose colours are CSS variables, so that one drawing
// serves a light page, a dark page and paper. Coordinates are pixels, x right, y down.
#ifndef REALWARD_JOBS_SVG_CANVAS_H_
#define REALWARD_JOBS_SVG_CANVAS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace realward {

// Text that is safe in XML content and attributes: & < > " ' become entities; characters that
// XML 1.0 forbids become U+FFFD.
std::string EscapeXml(std::string_view text);

// Width in pixels of UTF-8 text in a sans-serif of this size, estimated high: no font is measured.
double TextWidth(std::string_view text, double size);
// The text, or its beginning and an ellipsis when it is wider than `width`.
std::string FitText(std::string_view text, double size, double width);

// A coordinate: at most one decimal.
std::string Coordinate(double value);

// Palette entries: 0…6 colours that stay apart for colour-blind readers (Okabe and Ito 2008), then
// ink.
inline constexpr int kColours = 7;
inline constexpr int kInk = 7;

// The variables of the palette as declarations "--rw-0:#0072b2;…", for a light or dark background.
std::string PaletteCss(bool dark);
// Rules for the classes that drawings use; needs the variables in scope.
std::string PlotCss();
// The same with the light palette written in: for a file that stands alone (not every viewer knows
// variables).
std::string StandalonePlotCss();

enum class Anchor { kStart, kMiddle, kEnd };

// One drawing under construction. Not thread-safe.
class SvgCanvas {
 public:
  SvgCanvas(double width, double height, std::string_view description);

  void Text(double x, double y, std::string_view text, std::string_view classes = "",
            Anchor anchor = Anchor::kStart);
  void Line(double x1, double y1, double x2, double y2, std::string_view classes);
  // `tip` is shown on hover.
  void Rect(double x, double y, double width, double height, std::string_view classes,
            std::string_view tip = "", double opacity = 1.0);
  void Circle(double x, double y, double radius, std::string_view classes,
              std::string_view tip = "");
  // One polyline per inner vector; filled shapes are closed by their class.
  void Path(const std::vector<std::vector<std::pair<double, double>>>& runs,
            std::string_view classes, bool close = false);
  // What is drawn until Unclip stays inside the rectangle; coordinates become relative to its
  // corner.
  void Clip(double x, double y, double width, double height);
  void Unclip();
  // Another finished drawing, or a <style>.
  void Raw(std::string_view svg);

  // The element. A standalone file carries its name space, a white background and its own style.
  std::string Finish(bool standalone = false) const;

 private:
  double width_;
  double height_;
  std::string description_;
  std::string body_;
};

}  // namespace realward

#endif  // REALWARD_JOBS_SVG_CANVAS_H_
