#include "jobs/loop_state.h"

namespace realward {
namespace {

Json EpisodeList(const std::vector<EpisodeSummary>& episodes) {
  Json list = Json::array();
  for (const EpisodeSummary& episode : episodes) list.push_back(ToJson(episode));
  return list;
}

}  // namespace

Json ToJson(const EpisodeSummary& e) {
  return {{"world", e.world},     {"unit", e.unit},
          {"episode", e.episode}, {"end", NameOf(e.end)},
          {"success", e.success}, {"return", e.episode_return},
          {"steps", e.steps},     {"settle_time", e.settle_time}};
}

Result<std::vector<EpisodeSummary>> EpisodesFromJson(const Json& json) {
  std::vector<EpisodeSummary> episodes;
  try {
    for (const Json& item : json) {
      EpisodeSummary e;
      e.world = item.at("world");
      e.unit = item.at("unit");
      e.episode = item.at("episode");
      const std::string end = item.at("end");
      for (EpisodeEnd candidate : {EpisodeEnd::kRunning, EpisodeEnd::kHorizon,
                                   EpisodeEnd::kTerminated, EpisodeEnd::kDiverged}) {
        if (end == NameOf(candidate)) e.end = candidate;
      }
      e.success = item.at("success");
      e.episode_return = item.at("return");
      e.steps = item.at("steps");
      e.settle_time = item.at("settle_time");
      episodes.push_back(e);
    }
  } catch (const Json::exception& error) {
    return InvalidInput(std::string("episodes are not readable: ") + error.what());
  }
  return episodes;
}

Json ToJson(const RobotTrial& t) {
  return {{"trial", t.trial},
          {"completed", t.completed},
          {"success", t.success ? Json(*t.success) : Json()},
          {"return", t.trial_return ? Json(*t.trial_return) : Json()},
          {"end", t.end},
          {"steps", t.steps},
          {"reason", t.reason}};
}

Result<std::vector<RobotTrial>> TrialsFromJson(const Json& json) {
  std::vector<RobotTrial> trials;
  try {
    for (const Json& item : json) {
      RobotTrial t;
      t.trial = item.at("trial");
      t.completed = item.at("completed");
      if (!item.at("success").is_null()) t.success = item.at("success").get<bool>();
      if (!item.at("return").is_null()) t.trial_return = item.at("return").get<double>();
      t.end = item.at("end");
      t.steps = item.at("steps");
      t.reason = item.at("reason");
      trials.push_back(t);
    }
  } catch (const Json::exception& error) {
    return InvalidInput(std::string("trials are not readable: ") + error.what());
  }
  return trials;
}

Json ToJson(const GapDecomposition& d) {
  Json alone = Json::array();
  for (const auto& episodes : d.alone) alone.push_back(EpisodeList(episodes));
  return {{"parameters", d.parameters},
          {"nominal", EpisodeList(d.nominal)},
          {"together", EpisodeList(d.together)},
          {"alone", alone}};
}

Result<GapDecomposition> DecompositionFromJson(const Json& json) {
  GapDecomposition d;
  try {
    d.parameters = json.at("parameters").get<std::vector<std::string>>();
    RW_ASSIGN(d.nominal, EpisodesFromJson(json.at("nominal")));
    RW_ASSIGN(d.together, EpisodesFromJson(json.at("together")));
    for (const Json& item : json.at("alone")) {
      RW_ASSIGN(std::vector<EpisodeSummary> episodes, EpisodesFromJson(item));
      d.alone.push_back(std::move(episodes));
    }
  } catch (const Json::exception& error) {
    return InvalidInput(std::string("the gap decomposition is not readable: ") + error.what());
  }
  return d;
}

}  // namespace realward
