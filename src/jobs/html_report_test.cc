#include "jobs/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clocale>
#include <cmath>

#include "base/file.h"
#include "jobs/markup_check.h"
#include "jobs/plot_math.h"
#include "jobs/report_sample.h"

namespace realward {
namespace {

using testing::HasSubstr;
using testing::Not;

// What a reader sees: markup without tags, style and hover texts' tags.
std::string VisibleText(const std::string& html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html.substr(html.find("<body>"))) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false, text += ' ';
  }
  return text;
}

// "nan" or "inf" as a number's text, not inside a word.
bool HasBareNonNumber(const std::string& html) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (const std::string word : {"nan", "inf"}) {
    for (std::size_t at = html.find(word); at != std::string::npos; at = html.find(word, at + 1)) {
      if (!letter(html[at - 1]) && !letter(html[at + word.size()])) return true;
    }
  }
  return false;
}

TEST(HtmlReport, MarkupCheckerFindsFaults) {
  EXPECT_EQ(MarkupFault("<p class=\"a\">x<br/></p>"), "");
  EXPECT_NE(MarkupFault("<p><b>x</p></b>"), "");
  EXPECT_NE(MarkupFault("<p>x"), "");
  EXPECT_NE(MarkupFault("<p class=a>x</p>"), "");
  EXPECT_NE(MarkupFault("<p>a & b</p>"), "");
  EXPECT_NE(MarkupFault("<p title=\"a & b\">x</p>"), "");
  EXPECT_NE(MarkupFault("<p title=\"a\"b\">x</p>"), "");
  EXPECT_NE(MarkupFault("<p <b>x</b></p>"), "");
}

TEST(HtmlReport, FullPageIsWellFormedAndClosedToTheOutside) {
  const std::string html = RenderHtml(SampleReport());
  EXPECT_EQ(MarkupFault(html), "");
  for (const char* forbidden :
       {"http:", "https:", "url(", "@import", "<script", "<link", "src=", "javascript:"}) {
    EXPECT_THAT(html, Not(HasSubstr(forbidden)));
  }
  EXPECT_FALSE(HasBareNonNumber(html));
  const std::string path = testing::TempDir() + "/realward_sample_report.html";
  ASSERT_TRUE(WriteFileAtomic(path, html).ok());  // for looking at: see README.md
}

TEST(HtmlReport, SameInputSameBytesUnderAnyLocale) {
  const std::string first = RenderHtml(SampleReport());
  const char* before = std::setlocale(LC_ALL, nullptr);
  const std::string saved = before == nullptr ? "C" : before;
  for (const char* locale : {"de_DE.UTF-8", "C.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    EXPECT_EQ(RenderHtml(SampleReport()), first) << locale;
  }
  std::setlocale(LC_ALL, saved.c_str());
}

TEST(HtmlReport, OpensWithTheSource) {
  LoopReport report = SampleReport();
  EXPECT_TRUE(
      VisibleText(RenderHtml(report)).find("Data recorded on hardware: dfki_pendulums/simple") <
      20);
  report.source = {false, "dfki_pendulums/simple", "the data set is neither mirrored nor reachable",
                   ""};
  const std::string text = VisibleText(RenderHtml(report));
  EXPECT_TRUE(text.find("Data are the virtual robot") < 20);
  EXPECT_THAT(text, HasSubstr("because the data set is neither mirrored nor reachable."));
  EXPECT_THAT(text, HasSubstr("No data from hardware went into this"));
}

TEST(HtmlReport, EveryNumberAppears) {
  const LoopReport report = SampleReport();
  const std::string text = VisibleText(RenderHtml(report));
  for (const ReportScore& s : report.scores) {
    EXPECT_THAT(text, HasSubstr(FormatPercent(s.success.value)));
    EXPECT_THAT(text, HasSubstr(FormatFixed(100 * s.success.low, 1)));
    EXPECT_THAT(text, HasSubstr(FormatPercent(s.success.high)));
    EXPECT_THAT(text, HasSubstr(std::to_string(s.successes) + " of 200"));
    EXPECT_THAT(
        text,
        HasSubstr(
            FormatMeasured(s.mean_return.value, s.mean_return.low, s.mean_return.high).value));
  }
  for (const ReportComparison& c : report.comparisons) {
    EXPECT_THAT(text, HasSubstr(FormatSigned(100 * c.success_difference.low, 1)));
    EXPECT_THAT(text, HasSubstr(std::to_string(c.only_policy)));
  }
  for (const ReportResidual& r : report.fit->residuals) {
    EXPECT_THAT(text, HasSubstr(FormatNumber(r.datasheet_rms)));
    EXPECT_THAT(text, HasSubstr(FormatNumber(r.fitted_rms)));
  }
  for (const ReportParameter& p : report.fit->parameters) {
    const MeasuredText m = FormatMeasured(p.fitted.value, p.fitted.low, p.fitted.high, p.nominal);
    EXPECT_THAT(text, HasSubstr(m.value));
    EXPECT_THAT(text, HasSubstr(m.low + " to " + m.high));
    EXPECT_THAT(text, HasSubstr(m.nominal));
  }
  for (const ReportTrial& t : report.robot->trials)
    EXPECT_THAT(text, HasSubstr(FormatNumber(t.duration)));
  for (const ReportItem& i : report.provenance) EXPECT_THAT(text, HasSubstr(i.hash));
  for (const char* words :
       {"not determined by the data", "on its lower bound",
        "undefined: the simulated return is zero", "the robot&#39;s process ended",
        "3 failed (diverged)", "first time stamp appears twice",
        "realward loop examples/01_pendulum/loop.yaml --seed 1"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST(HtmlReport, MissingPartsAreSaidInWords) {
  LoopReport report;
  report.name = "empty";
  const std::string html = RenderHtml(report);
  EXPECT_EQ(MarkupFault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
  for (const char* words :
       {"No policy is recommended", "No policy was evaluated", "No paired comparison",
        "Nothing was fitted", "No learning curve", "The gap was not decomposed",
        "No robot was part of this loop", "No logs were read"}) {
    EXPECT_THAT(html, HasSubstr(words));
  }
}

TEST(HtmlReport, HostileTextStaysText) {
  LoopReport report = SampleReport();
  const std::string evil = "<script>\"&'</script>\x01";
  report.name = report.task = report.command = evil;
  for (auto& policy : report.policies) policy.name += evil;
  for (auto& suite : report.suites) suite.name += evil;
  report.fit->parameters[0].name = report.fit->overlays[0].recording = evil;
  report.fit->correlation_names[0] = evil;
  report.robot->trials[3].reason = evil;
  const std::string html = RenderHtml(report);
  EXPECT_EQ(MarkupFault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

// Numbers that a failed or degenerate run can give, anywhere.
RC_GTEST_PROP(HtmlReport, AwkwardNumbersGiveAWholePage, ()) {
  const auto awkward = []() -> double {
    return *rc::gen::elementOf(std::vector<double>{kUndefined, INFINITY, -INFINITY, 0.0, -1.0,
                                                   1e-300, 1e300, 1e-9, 0.5, 1.0});
  };
  const auto estimate = [&] { return Estimate{awkward(), awkward(), awkward(), "why"}; };
  static const LoopReport sample = SampleReport();
  LoopReport report = sample;
  for (auto& s : report.scores) s.success = estimate(), s.mean_return = estimate();
  for (auto& c : report.comparisons) {
    c.success_difference = estimate(), c.return_difference = estimate(), c.p_value = awkward();
  }
  for (auto& gap : report.gaps) {
    gap.at_nominal = estimate(), gap.remainder = estimate();
    for (auto& part : gap.parts) part.effect = estimate();
  }
  for (auto& p : report.fit->parameters) {
    p.nominal = awkward(), p.fitted = estimate(), p.truth = awkward(), p.bound_low = awkward();
    p.prior.a = awkward(), p.prior.b = awkward(), p.posterior.a = awkward(),
    p.posterior.b = awkward();
  }
  for (auto& r : report.fit->residuals) r.datasheet_rms = awkward(), r.fitted_rms = awkward();
  for (auto& r : report.fit->correlation) r = awkward();
  for (auto& overlay : report.fit->overlays) {
    for (auto* values : {&overlay.time, &overlay.recorded, &overlay.fitted, &overlay.datasheet})
      values->resize(40);
    for (std::size_t i = 0; i < 40; ++i)
      overlay.recorded[i] = awkward(), overlay.fitted[i] = awkward();
  }
  for (auto& s : report.robot->scores) s.success = s.delta = s.gap_ratio = estimate();
  const std::string html = RenderHtml(report);
  RC_ASSERT(MarkupFault(html) == "");
  RC_ASSERT(!HasBareNonNumber(html));
}

TEST(HtmlReport, FitPictureStandsAlone) {
  const ReportOverlay overlay = SampleFit().overlays[0];
  const std::string svg = RenderFitPicture(overlay);
  EXPECT_EQ(MarkupFault(svg), "");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, Not(HasSubstr("var(")));
  EXPECT_THAT(svg, HasSubstr("fill=\"#ffffff\""));
  EXPECT_THAT(svg, HasSubstr("which the fit never saw"));
  EXPECT_EQ(RenderFitPicture(ReportOverlay{}), "");
  ASSERT_TRUE(WriteFileAtomic(testing::TempDir() + "/realward_sample_fit.svg", svg).ok());
}

}  // namespace
}  // namespace realward
