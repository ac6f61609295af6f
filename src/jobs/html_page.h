// The parts that an HTML page of ours is made of: shell with style, sections, tables, figures.
// Arguments called html are markup already; everything else is escaped here.
#ifndef REALWARD_JOBS_HTML_PAGE_H_
#define REALWARD_JOBS_HTML_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

namespace realward {

// <p>text</p>, and with a class.
std::string Paragraph(std::string_view text, std::string_view classes = "");
// What is not there, said in words.
std::string Missing(std::string_view text);

struct HtmlColumn {
  std::string head;
  bool number = false;  // right-aligned
};

// Rows of cells of markup, one per column. On a narrow screen each row becomes a card, titled by
// its first cell and labelled by the heads. A cell that is empty is left out there.
struct HtmlTable {
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<std::string>> rows_html;
};
std::string RenderTable(const HtmlTable& table);

// A drawing in two widths; the page shows the one that fits. Give the same twice if it fits both.
std::string Figure(std::string_view wide_svg, std::string_view narrow_svg,
                   std::string_view caption);
// Small drawings side by side, as many as fit.
std::string FigureGrid(const std::vector<std::string>& svgs, std::string_view caption);

// Closed until opened; open on paper is up to the reader.
std::string Details(std::string_view summary, std::string_view html);
std::string Section(std::string_view id, std::string_view title, std::string_view html);

// The document: inline style, no script, no address outside.
std::string RenderPage(std::string_view title, std::string_view body_html);

}  // namespace realward

#endif  // REALWARD_JOBS_HTML_PAGE_H_
