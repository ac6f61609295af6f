#include "deploy/robot_log.h"
