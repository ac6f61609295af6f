// Loading what several verbs need.
#ifndef REALWARD_APPS_REALWARD_GAPS_H_
#define REALWARD_APPS_REALWARD_GAPS_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "spec/gap.h"

namespace realward {

// Gap files composed in order; none: the nominal world.
Result<GapSpec> LoadGaps(const std::vector<std::string>& paths);

// Where data sets are described and where their files may lie: content/datasets of this source tree
// or of the folder of the program, and $REALWARD_DATA, ../shared/data and the user's cache.
std::vector<std::string> DatasetDescriptionFolders();
std::vector<std::string> DatasetMirrorFolders();

}  // namespace realward

#endif  // REALWARD_APPS_REALWARD_GAPS_H_
