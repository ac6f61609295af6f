#include "deploy/link_client.h"
