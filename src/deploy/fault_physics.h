// Faults in the physics of one simulated world: a jammed joint, a dead actuator, a supply that
// sags. They act between control steps through the hook of Environments.
#ifndef REALWARD_DEPLOY_FAULT_PHYSICS_H_
#define REALWARD_DEPLOY_FAULT_PHYSICS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/environments.h"

namespace realward {

// For EnvironmentOptions::edit_model: gives each named hinge and slide a constraint that can hold
// it, switched off, and each actuator a limit of its force that can be closed, wide open. A model
// edited so moves bit for bit as the plain one until a fault acts.
void PrepareForFaults(mjSpec* spec);

// The named hinges and slides of a model, in id order: what can jam.
std::vector<std::string> JammableJoints(const mjModel& model);

// The faults of world `world` of an environment, which must outlive this and must have been made
// with PrepareForFaults. Every fault holds until it is undone or the next reset.
class FaultPhysics {
 public:
  // Errors (invalid input): `jams` and a model that switches equality constraints off.
  static Result<std::unique_ptr<FaultPhysics>> Make(Environments& env, int world, bool jams);

  // Called right before and right after a reset of the world.
  void BeforeReset();
  void AfterReset();

  // Holds a joint (index into JammableJoints) where it is, or lets it go.
  //
  // The joint stops at once, as in a plastic impact: v⁺ = v − M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹Jv, where J picks the
  // jammed joints, so that what hangs on the joint takes up its momentum (Featherstone, Rigid Body
  // Dynamics Algorithms, 2008, section 11.7, restitution 0). From then on an equality constraint
  // keeps its position. The engine solves it together with all other forces; its time constant is
  // two time steps, the shortest that is stable, its damping critical and its impedance the highest
  // that the engine takes, 0.9999. Against an acceleration a that the joint would have if it were
  // free it gives way by about 4·10⁻⁴ a h² (h: time step), 10⁻⁶ rad for 100 rad/s² and 5 ms.
  void Jam(int joint, bool jammed);

  // The force of an actuator is 0, back-EMF and servo damping included; what the joint has of its
  // own (friction, armature) stays.
  void Kill(int actuator, bool dead);

  // Multiplies the strength that each actuator was drawn with.
  void SetSupply(double factor);

 private:
  FaultPhysics(Environments& env, int world) : env_(env), world_(world) {}
  void StopJammedJoints();

  Environments& env_;
  const int world_;
  std::vector<int> joint_id_, lock_id_;  // [jammable joints]
  std::vector<std::uint8_t> jammed_;     // [jammable joints]
  std::vector<std::uint8_t> dead_;       // [actuators]
  mjtNum* eq_data_ = nullptr;            // of the world: neq × mjNEQDATA
  mjtNum* eq_active_ = nullptr;          // of the world: neq
  mjtNum* force_range_ = nullptr;        // of the world: nu × 2
  std::vector<mjtNum> drawn_range_;      // nu × 2
  std::vector<double> drawn_strength_;   // [actuators]
  ModelPtr model_;                       // scratch: the world's own model and state
  DataPtr data_;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_FAULT_PHYSICS_H_
