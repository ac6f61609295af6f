#include "base/mujoco.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/check.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace realward {
namespace {

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The engine's default appends every warning to a file in the working folder. Its counters say the
// same (DivergenceCount). A handler that the program has set stays.
void SilenceWarnings() {
  static const bool done = [] {
    if (mju_user_warning == nullptr) mju_user_warning = [](const char*) {};
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

Result<ModelPtr> CompileSpec(mjSpec* spec, const std::string& what) {
  SilenceWarnings();
  ModelPtr model(mj_compile(spec, nullptr));
  if (!model) {
    return InvalidInput(fmt::format("{} does not compile: {}", what, Trimmed(mjs_getError(spec))));
  }
  return model;
}

Result<ModelPtr> LoadModel(const std::string& path, ModelEdit edit) {
  std::array<char, 1024> error{};
  SpecPtr spec(mj_parseXML(path.c_str(), nullptr, error.data(), error.size()));
  if (!spec)
    return InvalidInput(fmt::format("model {} cannot be read: {}", path, Trimmed(error.data())));
  if (edit != nullptr) edit(spec.get());
  return CompileSpec(spec.get(), "model " + path);
}

Result<ModelPtr> LoadModelText(const std::string& xml) {
  std::array<char, 1024> error{};
  SpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error.data(), error.size()));
  if (!spec)
    return InvalidInput(fmt::format("model text cannot be read: {}", Trimmed(error.data())));
  return CompileSpec(spec.get(), "model text");
}

ModelPtr CopyModel(const mjModel& model) {
  ModelPtr copy(mj_copyModel(nullptr, &model));
  RW_CHECK(copy != nullptr);
  return copy;
}

DataPtr MakeData(const mjModel& model) {
  DataPtr data(mj_makeData(&model));
  RW_CHECK(data != nullptr);
  return data;
}

Result<BatchPtr> MakeBatch(const mjModel& model, int worlds, int threads, bool persistent) {
  RW_CHECK(worlds >= 1 && threads >= 1);
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = threads;
  config.persistent = persistent;
  std::array<char, 1024> error{};
  BatchPtr batch(mjb_makeBatch(&model, worlds, &config, error.data(), error.size()));
  if (!batch) {
    return EnvironmentError(
        fmt::format("cannot make a batch of {} simulations: {}", worlds, Trimmed(error.data())));
  }
  return batch;
}

#ifdef __SANITIZE_THREAD__
namespace {

// Each call begins after ApplyBatch does and ends before it returns. Calls are not ordered among
// themselves, so a race between two of them is still found.
struct AnnotatedCall {
  mjfBatchFunc func;
  void* argument;
  char begin = 0;
  char end = 0;
};

void RunAnnotated(const mjModel* model, mjData* data, int id, void* pointer) {
  AnnotatedCall& call = *static_cast<AnnotatedCall*>(pointer);
  __tsan_acquire(&call.begin);
  call.func(model, data, id, call.argument);
  __tsan_release(&call.end);
}

}  // namespace

int ApplyBatch(mjBatch* batch, std::span<const int> ids, mjfBatchFunc func, void* argument,
               bool save) {
  AnnotatedCall call{func, argument};
  __tsan_release(&call.begin);
  const int failed =
      mjb_apply(batch, ids.data(), static_cast<int>(ids.size()), RunAnnotated, &call, save);
  __tsan_acquire(&call.end);
  return failed;
}
#else
int ApplyBatch(mjBatch* batch, std::span<const int> ids, mjfBatchFunc func, void* argument,
               bool save) {
  return mjb_apply(batch, ids.data(), static_cast<int>(ids.size()), func, argument, save);
}
#endif

std::vector<std::string> ObjectNames(const mjModel& model, mjtObj type) {
  int count = 0;
  switch (type) {
    case mjOBJ_BODY:
      count = model.nbody;
      break;
    case mjOBJ_JOINT:
      count = model.njnt;
      break;
    case mjOBJ_GEOM:
      count = model.ngeom;
      break;
    case mjOBJ_SITE:
      count = model.nsite;
      break;
    case mjOBJ_ACTUATOR:
      count = model.nu;
      break;
    case mjOBJ_SENSOR:
      count = model.nsensor;
      break;
    case mjOBJ_KEY:
      count = model.nkey;
      break;
    default:
      RW_CHECK(false && "object type without names here");
  }
  std::vector<std::string> names;
  for (int id = 0; id < count; ++id) {
    const char* name = mj_id2name(&model, type, id);
    names.push_back(
        name != nullptr && *name != '\0' ? name : fmt::format("{}#{}", mju_type2Str(type), id));
  }
  return names;
}

int DivergenceCount(const mjWarningStat* warnings) {
  int count = 0;
  for (int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_BADCTRL,
                   mjWARN_CONTACTFULL, mjWARN_CNSTRFULL}) {
    count += warnings[kind].number;
  }
  return count;
}

std::string MujocoVersion() { return mj_versionString(); }

}  // namespace realward
