#include "sim/actuator_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "spec/test_files.h"

namespace realward {
namespace {

using testing::HasSubstr;

constexpr char kDense[] = R"(actuator_network: drive
weights: {file: drive.weights.json}
period: 5 ms
error: target - position
inputs:
  - {signal: position_error, unit: rad}
  - {signal: velocity, unit: rad/s}
layers:
  - {kind: dense, tensors: "0", width: 3, activation: relu}
  - {kind: dense, tensors: "2", width: 1}
torque: {unit: N*m}
)";
constexpr char kDenseWeights[] = R"({"0.weight": [[1, 2], [3, 4], [5, 6]], "0.bias": [0.5, 0, -100],
 "2.weight": [[1, 10, 100]], "2.bias": [-1]})";

constexpr char kLstm[] = R"(actuator_network: drive
weights: {file: drive.weights.json}
period: 5 ms
error: target - position
inputs:
  - {signal: position_error, unit: rad}
  - {signal: velocity, unit: rad/s}
input_scale_tensor: in_scale
layers:
  - {kind: lstm, tensors: rnn, width: 1}
  - {kind: dense, tensors: fc, width: 1}
torque: {unit: N*m, scale_tensor: out_scale}
)";
// σ of both outer gates 3/4 through the two biases, half of each; z_g = 2·(0.5·e) + (4·0.25)·v.
constexpr char kLstmWeights[] = R"({"in_scale": [[[0.5, 0.25]]], "out_scale": [20],
 "rnn.weight_ih_l0": [[0, 0], [0, 0], [2, 4], [0, 0]], "rnn.weight_hh_l0": [[0], [0], [0], [0]],
 "rnn.bias_ih_l0": [0.5493061443340548, 0, 0, 0.5493061443340548],
 "rnn.bias_hh_l0": [0.5493061443340548, 0, 0, 0.5493061443340548],
 "fc.weight": [[1]], "fc.bias": [0.125]})";

Result<ActuatorNetwork> Load(const std::string& description, const std::string& weights) {
  const auto read = LoadActuatorDescription(WriteTestFile("a.actuator.yaml", description));
  if (!read.ok()) return read.error();
  return NetworkFromWeights(*read, weights, "w.json");
}

std::string MessageOf(const std::string& from, const std::string& to) {
  const auto network = Load(kDense, Replaced(kDenseWeights, from, to));
  return network.ok() ? "ok" : network.error().message;
}

double FirstTorque(const ActuatorNetwork& network, double error, double velocity) {
  std::vector<double> state(StateSize(network));
  ResetState(network, state, 0.0, 0.0, 0.0);
  return NetworkTorque(network, state, error, 0.0, velocity);
}

TEST(ActuatorWeights, RowsAreOutputs) {
  const auto network = Load(kDense, kDenseWeights);
  ASSERT_TRUE(network.ok()) << network.error().message;
  // Units 1 + 4 + 0.5, 3 + 8, 5 + 12 − 100 < 0.
  EXPECT_DOUBLE_EQ(FirstTorque(*network, 1.0, 2.0), 5.5 + 110.0 - 1.0);
}

TEST(ActuatorWeights, LstmBiasesAddAndScalesComeFromTensors) {
  const auto network = Load(kLstm, kLstmWeights);
  ASSERT_TRUE(network.ok()) << network.error().message;
  const double h = 0.75 * std::tanh(0.75 * std::tanh(0.3 - 0.2));
  EXPECT_NEAR(FirstTorque(*network, 0.3, -0.2), 20.0 * (h + 0.125), 1e-13);
}

TEST(ActuatorWeights, MistakesNameTheTensorAndBothShapes) {
  EXPECT_EQ(MessageOf("0.5", "0.5"), "ok");
  EXPECT_EQ(MessageOf(", [5, 6]", ""),
            "w.json: tensor '0.weight' has the shape [2, 2], but [3, 2] is needed");
  EXPECT_EQ(MessageOf("[[1, 10, 100]]", "[1, 10, 100]"),
            "w.json: tensor '2.weight' has the shape [3], but [1, 3] is needed");
  EXPECT_EQ(MessageOf("[-1]", "[[-1]]"),
            "w.json: tensor '2.bias' has the shape [1, 1], but [1] is needed");
  EXPECT_EQ(MessageOf("2.bias", "2.bais"),
            "w.json: tensor '2.bias' is missing; [1] is needed. Nearest: 0.bias or 2.bais\n"
            "w.json: tensor '2.bais' of shape [1] is not used by the description");
  EXPECT_THAT(MessageOf("{\"0", "{\"step\": 7, \"0"), HasSubstr("'step' of shape [] is not used"));
  EXPECT_THAT(MessageOf("[5, 6]", "[5]"),
              HasSubstr("'0.weight' is ragged: lists of 2 and of 1 entries"));
  EXPECT_THAT(MessageOf("[5, 6]", "5"), HasSubstr("'0.weight' is ragged"));
  EXPECT_THAT(MessageOf("[-1]", "[]"), HasSubstr("'2.bias' has an empty list"));
  EXPECT_THAT(MessageOf("[-1]", "[[[[[[[[[-1]]]]]]]]]"), HasSubstr("more than 8 dimensions"));
  EXPECT_THAT(MessageOf("-100", "null"), HasSubstr("'0.bias' holds null, which is no number"));
  EXPECT_THAT(MessageOf("-100", "\"-100\""), HasSubstr("holds string"));
  EXPECT_THAT(MessageOf("2.bias", "0.bias"), HasSubstr("tensor '0.bias' stands twice"));
}

TEST(ActuatorWeights, WhatIsNotFiniteIsRefused) {
  const std::string nan = MessageOf("-100", "NaN");
  EXPECT_THAT(nan, HasSubstr("in tensor '0.bias'"));
  EXPECT_THAT(nan, HasSubstr("weights must be finite"));
  EXPECT_THAT(MessageOf("[[1, 10", "[[-Infinity, 10"), HasSubstr("in tensor '2.weight'"));
  EXPECT_THAT(MessageOf("-100", "1e999"), HasSubstr("1e999"));
}

TEST(ActuatorWeights, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "[]", "3", "{", "{\"a\"", "\"", "{} {}"}) {
    const auto network = Load(kDense, text);
    ASSERT_FALSE(network.ok()) << text;
    EXPECT_EQ(network.error().kind, ErrorKind::kInvalidInput);
    EXPECT_THAT(network.error().message, HasSubstr("w.json: "));
  }
  EXPECT_FALSE(Load(kDense, std::string(100000, '[')).ok());
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_FALSE(Load(kDense, "{\"0.weight\": " + deep + "}").ok());
}

TEST(ActuatorWeights, AScaleTensorHasOneFactorForEachInput) {
  const auto message = [](const std::string& from, const std::string& to) {
    const auto network = Load(kLstm, Replaced(kLstmWeights, from, to));
    return network.ok() ? "ok" : network.error().message;
  };
  EXPECT_THAT(message("[[[0.5, 0.25]]]", "[0.5, 0.25, 1]"),
              HasSubstr("'in_scale' has the shape [3], but [2] is needed"));
  EXPECT_THAT(message("[[[0.5, 0.25]]]", "[0.5, 0]"), HasSubstr("input 1 has the scale 0"));
  EXPECT_THAT(message("[20]", "[20, 20]"), HasSubstr("'out_scale' has the shape [2]"));
  EXPECT_THAT(message("\"rnn.weight_ih_l0\": [[0, 0], ", "\"rnn.weight_ih_l0\": ["),
              HasSubstr("'rnn.weight_ih_l0' has the shape [3, 2], but [4, 2] is needed"));
}

TEST(ActuatorWeights, FilesAreFoundBesideTheDescription) {
  const std::string path = WriteTestFile("b.actuator.yaml", kDense);
  const auto missing = LoadActuatorNetwork(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(missing.error().message, HasSubstr("there is no weights file"));
  const std::string weights = WriteTestFile("drive.weights.json", kDenseWeights);
  const auto network = LoadActuatorNetwork(path);
  std::filesystem::remove(weights);
  ASSERT_TRUE(network.ok()) << network.error().message;
  EXPECT_DOUBLE_EQ(FirstTorque(*network, 1.0, 2.0), 114.5);
}

TEST(ActuatorWeights, FilesOfADatasetAreHashed) {
  const std::string weights = WriteTestFile("drive.weights.json", kDenseWeights);
  const std::filesystem::path folder = std::filesystem::path(weights).parent_path();
  const std::vector<std::string> folders = {"/nowhere", folder.parent_path().string()};
  const auto load = [&](const std::string& hash) {
    const std::string place =
        "{dataset: " + folder.filename().string() + ", file: drive.weights.json, sha256: " + hash;
    const std::string path =
        WriteTestFile("c.actuator.yaml", Replaced(kDense, "{file: drive.weights.json", place));
    return std::pair(LoadActuatorNetwork(path, folders), LoadActuatorNetwork(path));
  };
  const auto [found, nowhere] = load(HashBytes(kDenseWeights));
  EXPECT_TRUE(found.ok()) << found.error().message;
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(nowhere.error().message, HasSubstr("in none of the data folders"));
  const auto [other, unused] = load(HashBytes("other"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind, ErrorKind::kRefused);
  EXPECT_THAT(other.error().message, HasSubstr(HashBytes("other") + "; the file is not used"));
}

// The published networks against what PyTorch makes of them.
class Published : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_ + "/actuator_nets")) {
      GTEST_SKIP() << "no recorded data beside the checkout";
    }
    auto network = LoadActuatorNetwork(
        std::string(RW_SOURCE_DIR) + "/content/actuators/" + GetParam() + ".actuator.yaml",
        std::vector{data_});
    ASSERT_TRUE(network.ok()) << network.error().message;
    network_ = *network;
  }
  const std::string data_ = std::string(RW_SOURCE_DIR) + "/../shared/data";
  ActuatorNetwork network_;
};

// Rows of numbers below one line of names.
std::vector<std::vector<double>> ReadRows(const std::string& path) {
  std::vector<std::vector<double>> rows;
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << path;
  std::istringstream lines(text.ok() ? *text : "");
  std::string line, cell;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

TEST_P(Published, TorquesAreThoseOfPyTorch) {
  const bool lstm = network_.layers[0].kind == NetworkLayerKind::kLstm;
  const auto rows =
      ReadRows(data_ + "/actuator_nets/" + GetParam() + (lstm ? "_lstm" : "") + "_io.csv");
  ASSERT_EQ(rows.size(), 800u);
  const std::size_t velocity = lstm ? 2 : 4;
  // The tables hold errors in each network's own sign.
  const bool target_first = network_.error_sign == ErrorSign::kTargetMinusPosition;
  ASSERT_EQ(target_first, lstm);
  const auto target = [&](double error) { return target_first ? error : 0.0; };
  const auto position = [&](double error) { return target_first ? 0.0 : error; };
  std::vector<double> state(StateSize(network_));
  ResetState(network_, state, target(rows[0][1]), position(rows[0][1]), rows[0][velocity]);
  for (const auto& row : rows) {
    const double torque =
        NetworkTorque(network_, state, target(row[1]), position(row[1]), row[velocity]);
    ASSERT_NEAR(torque, row.back(), 1e-4) << "at " << row[0] << " s";
  }
}

// A joint that is held off its target is pushed to it, about in proportion; with the other sign it
// is pushed away.
TEST_P(Published, PushesTowardsTheTarget) {
  const auto held = [](const ActuatorNetwork& network, double target) {
    std::vector<double> state(StateSize(network));
    ResetState(network, state, target, 0.0, 0.0);
    double torque = 0.0;
    for (int k = 0; k < 100; ++k) torque = NetworkTorque(network, state, target, 0.0, 0.0);
    return torque;
  };
  ActuatorNetwork swapped = network_;
  swapped.error_sign = network_.error_sign == ErrorSign::kTargetMinusPosition
                           ? ErrorSign::kPositionMinusTarget
                           : ErrorSign::kTargetMinusPosition;
  const double rest = held(network_, 0.0);
  EXPECT_LT(std::abs(rest), 0.5);
  for (const double target : {-0.2, -0.1, 0.1, 0.2}) {
    const double stiffness = (held(network_, target) - rest) / target;
    EXPECT_GT(stiffness, 10.0);
    EXPECT_LT(stiffness, 120.0);
    EXPECT_LT((held(swapped, target) - rest) / target, -10.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Nets, Published, testing::Values("anydrive_v3", "unitree_go1"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace realward
