#include "jobs/html_page.h"

#include <gtest/gtest.h>

#include "jobs/markup_check.h"

namespace realward {
namespace {

TEST(HtmlPage, PartsEscapeTextAndKeepMarkup) {
  EXPECT_EQ(Paragraph("a < b"), "<p>a &lt; b</p>\n");
  EXPECT_EQ(Missing("none"), "<p class=\"missing\">none</p>\n");
  const std::string table =
      RenderTable({{{"name", false}, {"\"x\" & y", true}}, {{"<b>p</b>", "1"}, {"q", ""}}});
  EXPECT_EQ(MarkupFault(table), "");
  EXPECT_NE(table.find("<b>p</b>"), std::string::npos);
  EXPECT_NE(table.find("<td class=\"n\" data-label=\"&quot;x&quot; &amp; y\"></td>"),
            std::string::npos);
}

TEST(HtmlPage, AFigureThatFitsBothWidthsIsThereOnce) {
  EXPECT_EQ(Figure("<svg></svg>", "<svg></svg>", "").find("narrow"), std::string::npos);
  EXPECT_NE(Figure("<svg></svg>", "<svg><g></g></svg>", "c").find("class=\"narrow\""),
            std::string::npos);
}

TEST(HtmlPage, PageIsWellFormedAndAsksForNothing) {
  const std::string page = RenderPage(
      "t & t", Section("id", "title", Details("more", FigureGrid({"<svg></svg>"}, "c"))));
  EXPECT_EQ(MarkupFault(page), "");
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  for (const char* outside : {"http", "url(", "@import", "<script"})
    EXPECT_EQ(page.find(outside), std::string::npos);
}

}  // namespace
}  // namespace realward
