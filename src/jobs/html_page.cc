#include "jobs/html_page.h"

#include <fmt/format.h>

#include "base/check.h"
#include "jobs/svg_canvas.h"

namespace realward {
namespace {

// Colours of the page itself; those of drawings come from PaletteCss.
constexpr const char* kLight =
    "--bg:#f7f8fa;--good:#0b7a5c;--soft:#eef1f5;--rule:#dde2e8;--accent:#0a6fb0;--warn:#a1470c;";
constexpr const char* kDark =
    "--bg:#0f1318;--good:#3fc9a2;--soft:#1e242c;--rule:#2c343f;--accent:#5ab4f0;--warn:#f2a06b;";

constexpr const char* kCss = R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--rw-ink);font:15.5px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
.source{margin:0;max-width:none;padding:10px 24px;background:var(--soft);border-bottom:1px solid var(--rule);font-size:14px;text-align:center}
.source b{font-weight:650}
main{max-width:1000px;margin:0 auto;padding:36px 24px 72px}
header .kicker{margin:0;color:var(--rw-muted);font-size:13px;letter-spacing:.04em}
h1{margin:2px 0 6px;font-size:32px;line-height:1.2;letter-spacing:-.015em;font-weight:680}
header .task{margin:0;color:var(--rw-muted);max-width:68ch}
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin:18px 0 0;font-size:14px}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
section{margin-top:52px}
h2{margin:0 0 12px;font-size:21px;line-height:1.3;letter-spacing:-.01em;font-weight:660}
h3{margin:28px 0 8px;font-size:16px;font-weight:640}
p{margin:0 0 12px;max-width:74ch}
.quiet,figcaption{color:var(--rw-muted);font-size:13.5px;line-height:1.5}
.missing{padding:12px 16px;border:1px dashed var(--rw-axis);border-radius:8px;color:var(--rw-muted);max-width:none}
.verdict{margin-top:28px;padding:26px 28px 20px;background:var(--rw-panel);border:1px solid var(--rule);
border-top:4px solid var(--accent);border-radius:10px}
.verdict.no{border-top-color:var(--warn)}
.verdict h2{font-size:25px;margin:0 0 4px}
.verdict>p{color:var(--rw-muted)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:22px 32px;margin:20px 0 22px}
.tile .name{margin:0;color:var(--rw-muted);font-size:13.5px}
.tile .big{margin:0;font-size:34px;line-height:1.2;font-weight:640;letter-spacing:-.02em}
.tile .sub{margin:4px 0 0;color:var(--rw-muted);font-size:13.5px}
.verdict dl{display:grid;grid-template-columns:160px 1fr;gap:0;margin:0}
.verdict dt,.verdict dd{margin:0;padding:10px 0;border-top:1px solid var(--rule)}
.verdict dt{color:var(--rw-muted);font-size:14px;padding-right:16px}
.table{overflow-x:auto;margin:0 0 14px}
table{border-collapse:collapse;width:100%;font-size:14.5px;line-height:1.4}
th{text-align:left;font-weight:600;color:var(--rw-muted);font-size:13px;padding:6px 14px 8px 0;
border-bottom:1px solid var(--rw-axis);vertical-align:bottom}
td{padding:9px 14px 9px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;white-space:nowrap}
th.n+th:not(.n),td.n+td:not(.n){padding-left:12px}
td small,.small{display:block;color:var(--rw-muted);font-size:12.5px;line-height:1.45}
td .rw-plot{margin:5px 0 3px;width:120px;height:12px}
.tile .rw-plot{margin:6px 0 0;width:180px;height:18px}
.hash{font-family:ui-monospace,"Liberation Mono",Consolas,monospace;font-size:12.5px;word-break:break-all}
.flag{color:var(--warn)}.good{color:var(--good)}
pre{margin:0 0 14px;padding:12px 16px;background:var(--soft);border-radius:8px;overflow-x:auto;
font:13px/1.5 ui-monospace,"Liberation Mono",Consolas,monospace;white-space:pre-wrap}
figure{margin:14px 0 26px}
figure .rw-plot{max-width:100%;height:auto}
figcaption{margin-top:8px;max-width:80ch}
.narrow{display:none}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(270px,1fr));gap:22px 26px}
.grid .rw-plot{width:100%}
.grid.two{grid-template-columns:repeat(auto-fill,minmax(320px,1fr))}
details{margin:10px 0 16px;border:1px solid var(--rule);border-radius:8px;padding:0 16px;background:var(--rw-panel)}
summary{cursor:pointer;padding:10px 0;font-weight:560;font-size:14.5px}
details[open] summary{margin-bottom:8px}
footer{margin-top:56px;padding-top:14px;border-top:1px solid var(--rule);color:var(--rw-muted);font-size:13px}
@media screen and (max-width:680px){
.wide{display:none}.narrow{display:block}
main{padding:24px 16px 48px}.source{padding:10px 16px;text-align:left}
h1{font-size:26px}section{margin-top:42px}
.verdict{padding:20px 18px 10px}
.verdict dl{grid-template-columns:1fr}.verdict dt{padding:10px 0 0}.verdict dd{padding:0 0 10px;border:0}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td{display:block}
tr{padding:10px 0;border-bottom:1px solid var(--rule)}
td{border:0;padding:3px 0;display:grid;grid-template-columns:minmax(96px,38%) 1fr;gap:12px}
td:empty{display:none}
td::before{content:attr(data-label);color:var(--rw-muted);font-size:13px}
td:first-child{display:block;font-weight:600;padding-bottom:4px}td:first-child::before{content:none}
td:first-child small{font-weight:400}
.n{text-align:left;white-space:normal}td.n+td:not(.n){padding-left:0}
}
@media print{
body{background:#fff;font-size:11pt}main{max-width:none;padding:0}
nav{display:none}.source{text-align:left;padding:0 0 8px;background:none}
figure,tr,.verdict,.tile{break-inside:avoid}h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;block-size:auto}
}
)css";

std::string ClassAttribute(std::string_view classes) {
  return classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
}

}  // namespace

std::string Paragraph(std::string_view text, std::string_view classes) {
  return fmt::format("<p{}>{}</p>\n", ClassAttribute(classes), EscapeXml(text));
}

std::string Missing(std::string_view text) { return Paragraph(text, "missing"); }

std::string RenderTable(const HtmlTable& table) {
  std::string out = "<div class=\"table\"><table><thead><tr>";
  for (const HtmlColumn& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", ClassAttribute(column.number ? "n" : ""),
                       EscapeXml(column.head));
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows_html) {
    RW_CHECK(row.size() == table.columns.size());
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      // One child, so that the label and the content are the two columns of a card's line.
      const std::string content = row[i].empty() ? "" : fmt::format("<div>{}</div>", row[i]);
      out += fmt::format("<td{} data-label=\"{}\">{}</td>",
                         ClassAttribute(table.columns[i].number ? "n" : ""),
                         EscapeXml(table.columns[i].head), content);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string Figure(std::string_view wide_svg, std::string_view narrow_svg,
                   std::string_view caption) {
  const std::string body =
      wide_svg == narrow_svg
          ? std::string(wide_svg)
          : fmt::format("<div class=\"wide\">{}</div><div class=\"narrow\">{}</div>", wide_svg,
                        narrow_svg);
  return fmt::format(
      "<figure>{}{}</figure>\n", body,
      caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>", EscapeXml(caption)));
}

std::string FigureGrid(const std::vector<std::string>& svgs, std::string_view caption) {
  std::string out = fmt::format("<figure><div class=\"grid{}\">", svgs.size() <= 2 ? " two" : "");
  for (const std::string& svg : svgs) out += fmt::format("<div>{}</div>", svg);
  out += "</div>";
  if (!caption.empty()) out += fmt::format("<figcaption>{}</figcaption>", EscapeXml(caption));
  return out + "</figure>\n";
}

std::string Details(std::string_view summary, std::string_view html) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", EscapeXml(summary), html);
}

std::string Section(std::string_view id, std::string_view title, std::string_view html) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, EscapeXml(title),
                     html);
}

std::string RenderPage(std::string_view title, std::string_view body_html) {
  const std::string light = PaletteCss(false) + kLight;
  const std::string dark = PaletteCss(true) + kDark;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n<style>\n"
      ":root{{color-scheme:light dark;{}}}\n"
      "@media screen and "
      "(prefers-color-scheme:dark){{:root{{{}}}}}\n{}{}</style>\n</head>\n<body>\n{}</body>\n"
      "</html>\n",
      EscapeXml(title), light, dark, PlotCss(), kCss, body_html);
}

}  // namespace realward
