#include "sim/actuator_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "spec/test_files.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kDrive[] = R"(actuator_network: drive
weights: {file: drive.weights.json}
period: 5 ms
error: position - target
inputs:
  - {signal: velocity, unit: deg/s, scale: 0.1}
  - {signal: position_error, unit: rad, lags: [0 ms, 5 ms, 20 ms]}
layers:
  - {kind: lstm, tensors: rnn, width: 8}
  - {kind: lstm, tensors: rnn, index: 1, width: 4}
  - {kind: dense, tensors: "head.0", width: 3, activation: elu}
  - {kind: dense, tensors: "head.2", width: 1}
torque: {unit: mN*m, scale: 2}
)";

std::string MessageOf(const std::string& from, const std::string& to) {
  const auto read =
      LoadActuatorDescription(WriteTestFile("a.actuator.yaml", Replaced(kDrive, from, to)));
  return read.ok() ? "ok" : read.error().message;
}

TEST(ActuatorDescription, SaysWhatTheWeightsDoNot) {
  const std::string path = WriteTestFile("a.actuator.yaml", kDrive);
  const auto read = LoadActuatorDescription(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const ActuatorNetwork& network = read->network;
  EXPECT_EQ(network.name, "drive");
  EXPECT_EQ(network.error_sign, ErrorSign::kPositionMinusTarget);
  EXPECT_DOUBLE_EQ(network.period, 0.005);
  EXPECT_TRUE(network.rotary);
  ASSERT_EQ(network.inputs.size(), 4u);
  EXPECT_EQ(network.inputs[0].signal, NetworkSignal::kVelocity);
  EXPECT_NEAR(network.inputs[0].scale, 0.1 * 57.29577951308232, 1e-12);  // deg in a rad
  EXPECT_EQ(network.inputs[0].lag, 0);
  for (const int i : {1, 2, 3}) {
    EXPECT_EQ(network.inputs[i].signal, NetworkSignal::kPositionError);
    EXPECT_EQ(network.inputs[i].scale, 1.0);
  }
  EXPECT_EQ(network.inputs[1].lag, 0);
  EXPECT_EQ(network.inputs[2].lag, 1);
  EXPECT_EQ(network.inputs[3].lag, 4);
  ASSERT_EQ(network.layers.size(), 4u);
  EXPECT_EQ(network.layers[0].in, 4);
  EXPECT_EQ(network.layers[1].in, 8);
  EXPECT_EQ(network.layers[1].kind, NetworkLayerKind::kLstm);
  EXPECT_EQ(network.layers[2].activation, Activation::kElu);
  EXPECT_EQ(network.layers[3].activation, Activation::kNone);
  EXPECT_DOUBLE_EQ(network.torque_scale, 0.002);
  EXPECT_EQ(StateSize(network), 5 + 1 + 16 + 8);
  EXPECT_THAT(read->layer_tensors, ElementsAre("rnn", "rnn", "head.0", "head.2"));
  EXPECT_THAT(read->lstm_indices, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(read->weights_file, path.substr(0, path.rfind('/')) + "/drive.weights.json");
  EXPECT_EQ(read->dataset, "");
}

TEST(ActuatorDescription, OfASlide) {
  std::string text = Replaced(kDrive, "deg/s", "m/s");
  text = Replaced(Replaced(text, "unit: rad", "unit: mm"), "mN*m", "N");
  const auto read = LoadActuatorDescription(WriteTestFile("a.actuator.yaml", text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->network.rotary);
  EXPECT_DOUBLE_EQ(read->network.inputs[1].scale, 1000.0);
}

TEST(ActuatorDescription, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(MessageOf("drive", "drive"), "ok");
  EXPECT_THAT(MessageOf("error: position - target\n", ""), HasSubstr("key 'error': is missing"));
  EXPECT_THAT(MessageOf("position - target", "target-position"),
              HasSubstr("actuator.yaml:4: key 'error': 'target-position' is unknown; nearest valid:"
                        " target - position"));
  EXPECT_THAT(MessageOf("period: 5 ms", "period: 0 ms"), HasSubstr("key 'period'"));
  EXPECT_THAT(MessageOf("period: 5 ms", "rate: 200 Hz"), HasSubstr("unknown key"));
  EXPECT_THAT(MessageOf("20 ms", "12 ms"),
              HasSubstr("0.012 s is no whole multiple of the period of 0.005 s"));
  EXPECT_THAT(MessageOf("20 ms", "20 s"), HasSubstr("at most 256 are kept"));
  EXPECT_THAT(MessageOf("[0 ms, 5 ms, 20 ms]", "[]"), HasSubstr("'lags' names no time"));
  EXPECT_THAT(MessageOf("deg/s", "rad"),
              HasSubstr("key 'unit' in inputs[0]: 'rad' does not fit; valid: rad/s, deg/s"));
  EXPECT_THAT(MessageOf("mN*m", "N"), HasSubstr("'N' is of a slide, but 'deg/s' is of a hinge"));
  EXPECT_THAT(MessageOf("scale: 0.1", "scale: 0"), HasSubstr("leaves the signal out"));
  EXPECT_THAT(MessageOf("scale: 2", "scale: 0"), HasSubstr("leaves no torque"));
  EXPECT_THAT(MessageOf("scale: 2", "scale: 2, scale_tensor: s"), HasSubstr("give one of both"));
  EXPECT_THAT(MessageOf("layers:", "input_scale_tensor: s\nlayers:"),
              HasSubstr("give one of both"));
  EXPECT_THAT(MessageOf("signal: velocity", "signal: speed"), HasSubstr("'speed' is unknown"));
  EXPECT_THAT(MessageOf("kind: lstm", "kind: gru"), HasSubstr("valid: dense or lstm"));
  EXPECT_THAT(MessageOf("activation: elu", "activation: gelu"),
              HasSubstr("nearest valid: relu or elu"));
  EXPECT_THAT(MessageOf("index: 1", "activation: tanh"), HasSubstr("unknown key"));
  EXPECT_THAT(MessageOf("index: 1", "index: 0"), HasSubstr("has the tensors of layers[0]"));
  EXPECT_THAT(MessageOf("width: 8", "width: 300"), HasSubstr("valid: 1 to 256"));
  EXPECT_THAT(MessageOf("\"head.2\", width: 1", "\"head.2\", width: 2"),
              HasSubstr("the last layer must be dense with width 1"));
}

TEST(ActuatorDescription, WeightsOfADatasetNeedTheirHash) {
  const std::string hash(64, 'a');
  EXPECT_EQ(MessageOf("{file: drive", "{dataset: d, sha256: " + hash + ", file: drive"), "ok");
  EXPECT_THAT(MessageOf("{file: drive", "{dataset: d, file: drive"),
              HasSubstr("key 'sha256' in weights: is missing"));
  EXPECT_THAT(MessageOf("{file: drive", "{sha256: abc, file: drive"), HasSubstr("64 lower-case"));
  EXPECT_THAT(MessageOf("{file: drive", "{dataset: ../d, sha256: " + hash + ", file: drive"),
              HasSubstr("'../d' must be a relative path"));
  EXPECT_THAT(MessageOf("{file: drive", "{dataset: d, sha256: " + hash + ", file: /drive"),
              HasSubstr("must be a relative path"));
}

// What is shipped reads, and expects the files that the data set describes.
TEST(ActuatorDescription, ShippedOnesRead) {
  const std::string content = std::string(RW_SOURCE_DIR) + "/content/";
  const auto dataset = ReadFile(content + "datasets/actuator_nets.yaml");
  ASSERT_TRUE(dataset.ok()) << dataset.error().message;
  for (const std::string name : {"anydrive_v3", "unitree_go1"}) {
    const auto read = LoadActuatorDescription(content + "actuators/" + name + ".actuator.yaml");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->network.name, name);
    EXPECT_EQ(read->dataset, "actuator_nets");
    EXPECT_THAT(*dataset, HasSubstr("name: \"" + read->weights_file + "\""));
    EXPECT_THAT(*dataset, HasSubstr("sha256: " + read->sha256));
  }
}

TEST(ActuatorDescription, TheOneOfTheHowToReads) {
  const auto text = ReadFile(std::string(RW_SOURCE_DIR) + "/docs/howto/actuator-network.md");
  ASSERT_TRUE(text.ok()) << text.error().message;
  const std::string fence = "```yaml\n";
  const std::size_t begin = text->find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t from = begin + fence.size();
  const auto read = LoadActuatorDescription(
      WriteTestFile("a.actuator.yaml", text->substr(from, text->find("```", from) - from)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->network.inputs.size(), 6u);
}

}  // namespace
}  // namespace realward
