#include "deploy/link_server.h"
