// The hot path of the robot link: states and commands, written and read without a JSON tree. The
// reader knows one spelling, that of the writer below (this order of fields, no white space); for
// any other it returns false and the caller uses DecodeLink, which accepts every spelling of the
// same message. Everything accepted here reads the same in DecodeLink. No allocation once the
// buffers have grown.
#ifndef REALWARD_DEPLOY_LINK_FAST_H_
#define REALWARD_DEPLOY_LINK_FAST_H_

#include <string>
#include <string_view>

#include "deploy/link_message.h"

namespace realward {

// Appends the shortest decimal that reads back to the same bits; null when not finite.
void AppendNumber(std::string& out, double value);

// Append one line, newline included.
void AppendState(std::string& out, const RobotState& state);
void AppendCommand(std::string& out, const RobotCommand& command);

// Read a line without its newline. False: another spelling, another message or wrong; `out` is then
// unspecified.
bool FastReadState(std::string_view line, RobotState& out);
bool FastReadCommand(std::string_view line, RobotCommand& out);

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_FAST_H_
