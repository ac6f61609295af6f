#include "jobs/svg_canvas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "jobs/markup_check.h"

namespace realward {
namespace {

TEST(SvgCanvas, EscapesWhatMarkupWouldRead) {
  EXPECT_EQ(EscapeXml("a<b & \"c\"'d'>"), "a&lt;b &amp; &quot;c&quot;&#39;d&#39;&gt;");
  EXPECT_EQ(EscapeXml("kg·m² − Δ"), "kg·m² − Δ");
  EXPECT_EQ(EscapeXml(std::string("a\x01z\n")), "a\ufffdz\n");
  EXPECT_EQ(EscapeXml("a\xff\xe2\x82"), "a\ufffd\ufffd\ufffd");  // stray and cut-off bytes
}

TEST(SvgCanvas, TextThatDoesNotFitEndsInAnEllipsis) {
  EXPECT_EQ(FitText("short", 12, 100), "short");
  const std::string cut = FitText("μμμμμμμμμμμμμμμμμμμμ", 12, 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(TextWidth(cut, 12), 60);
  EXPECT_EQ(EscapeXml(cut), cut);  // no character was cut in half
}

TEST(SvgCanvas, CoordinatesAreShortAndHaveNoNegativeZero) {
  EXPECT_EQ(Coordinate(12.04), "12");
  EXPECT_EQ(Coordinate(-0.04), "0");
  EXPECT_EQ(Coordinate(3.25), "3.2");
}

double Channel(const std::string& hex, int i) {
  const double c = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double Luminance(const std::string& hex) {
  return 0.2126 * Channel(hex, 0) + 0.7152 * Channel(hex, 1) + 0.0722 * Channel(hex, 2);
}

std::string ColourOf(const std::string& css, const std::string& name) {
  return css.substr(css.find(name + ":") + name.size() + 1, 7);
}

// WCAG 2.1: 3 : 1 for graphics, 4.5 : 1 for text, on the panel they stand on.
TEST(SvgCanvas, PaletteHasContrastOnItsBackground) {
  for (const bool dark : {false, true}) {
    const std::string css = PaletteCss(dark);
    const double panel = Luminance(ColourOf(css, "--rw-panel"));
    const auto contrast = [&](const std::string& name) {
      const double l = Luminance(ColourOf(css, name));
      return (std::max(l, panel) + 0.05) / (std::min(l, panel) + 0.05);
    };
    for (int i = 0; i < kColours; ++i)
      EXPECT_GE(contrast("--rw-" + std::to_string(i)), 3.0) << i << dark;
    EXPECT_GE(contrast("--rw-muted"), 4.5);
    EXPECT_GE(contrast("--rw-ink"), 4.5);
  }
}

TEST(SvgCanvas, DrawsWellFormedShapes) {
  SvgCanvas canvas(100, 50, "a \"b\" & c");
  canvas.Text(1, 2, "<x>", "k", Anchor::kEnd);
  canvas.Line(0, 0, 1, 1, "g");
  canvas.Rect(0, 0, 5, 5, "f0", "tip <", 0.5);
  canvas.Circle(1, 1, 2, "f1", "tip");
  canvas.Path({{{0, 0}, {1, 1}}, {}, {{5, 5}}}, "l");
  canvas.Clip(0, 0, 10, 10);
  canvas.Unclip();
  const std::string svg = canvas.Finish();
  EXPECT_EQ(MarkupFault(svg), "");
  EXPECT_NE(svg.find("d=\"M0 0L1 1M5 5h0\""), std::string::npos) << svg;
  EXPECT_EQ(svg.find("xmlns"), std::string::npos);
  EXPECT_EQ(MarkupFault(canvas.Finish(true)), "");
}

TEST(SvgCanvas, StandaloneStyleHasNoVariables) {
  EXPECT_NE(PlotCss().find("var(--rw-0)"), std::string::npos);
  EXPECT_EQ(StandalonePlotCss().find("var("), std::string::npos);
}

}  // namespace
}  // namespace realward
