// RAII for MuJoCo's C objects, and model loading with errors as values.
#ifndef REALWARD_BASE_MUJOCO_H_
#define REALWARD_BASE_MUJOCO_H_

#include <mujoco/mjbatch.h>
#include <mujoco/mujoco.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace realward {

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
struct BatchDeleter {
  void operator()(mjBatch* batch) const { mjb_deleteBatch(batch); }
};
using ModelPtr = std::unique_ptr<mjModel, ModelDeleter>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;
using BatchPtr = std::unique_ptr<mjBatch, BatchDeleter>;

// Changes a model's description between reading and compiling it.
using ModelEdit = void (*)(mjSpec* spec);

// Compiles an MJCF or URDF file. The error names the file and the compiler's reason. Null edit: as
// the file says.
Result<ModelPtr> LoadModel(const std::string& path, ModelEdit edit = nullptr);

// Compiles a description. `what` names it in the error.
Result<ModelPtr> CompileSpec(mjSpec* spec, const std::string& what);

// Compiles MJCF text.
Result<ModelPtr> LoadModelText(const std::string& xml);

// A deep copy.
ModelPtr CopyModel(const mjModel& model);

DataPtr MakeData(const mjModel& model);

// A batch of `worlds` simulations on `threads` threads (≥ 1, including the caller's).
Result<BatchPtr> MakeBatch(const mjModel& model, int worlds, int threads, bool persistent = false);

// mjb_apply: runs func(model, data, id, argument) for each id on the batch's threads, and returns
// when all are done. save: keep the simulations' state. Callers use this one, because it also tells
// the thread sanitizer, which cannot see into MuJoCo, that the calls lie between begin and end.
int ApplyBatch(mjBatch* batch, std::span<const int> ids, mjfBatchFunc func, void* argument,
               bool save);

// Names of all objects of a type in id order; an unnamed object is "type#id".
std::vector<std::string> ObjectNames(const mjModel& model, mjtObj type);

// Sum of the warning counters that mean a simulation left physics: bad position, velocity,
// acceleration or control, and full contact or constraint buffers. MuJoCo resets a diverged state
// by itself, so these counters are the only trace.
int DivergenceCount(const mjWarningStat* warnings);

// MuJoCo's version, such as "4.0.1".
std::string MujocoVersion();

}  // namespace realward

#endif  // REALWARD_BASE_MUJOCO_H_
