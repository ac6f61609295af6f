#include "spec/urdf_mass.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <unordered_map>

#include "spec/inertia.h"

namespace realward {
namespace {

// A link and whatever fixed joints weld to it.
struct Welds {
  std::vector<int> owner;       // of each link: the link whose body it is part of
  std::vector<bool> has_joint;  // of each link: a joint above it moves it
};

// Loops and several parents (which urdf_check reports) end the walk, not the program.
Welds FindWelds(const UrdfModel& urdf) {
  const int count = static_cast<int>(urdf.links.size());
  std::unordered_map<std::string, int> index;
  for (int i = 0; i < count; ++i) index.emplace(urdf.links[i].name, i);
  Welds welds;
  welds.owner.assign(count, -1);
  welds.has_joint.assign(count, false);
  std::vector<int> welded_to(count, -1);
  for (const UrdfJoint& joint : urdf.joints) {
    const auto child = index.find(joint.child);
    if (child == index.end()) continue;
    if (joint.type != UrdfJointType::kFixed) {
      welds.has_joint[child->second] = true;
      continue;
    }
    const auto parent = index.find(joint.parent);
    if (parent != index.end()) welded_to[child->second] = parent->second;
  }
  std::vector<int> walk_of(count, -1);  // the walk that a link was met on: no walk turns in a loop
  for (int i = 0; i < count; ++i) {
    std::vector<int> path;
    int at = i;
    while (welds.owner[at] < 0 && !welds.has_joint[at] && welded_to[at] >= 0 && walk_of[at] != i) {
      walk_of[at] = i;
      path.push_back(at);
      at = welded_to[at];
    }
    if (welds.owner[at] < 0) welds.owner[at] = at;
    for (const int link : path) welds.owner[link] = welds.owner[at];
  }
  return welds;
}

double MassOf(const UrdfLink& link) {
  return link.inertial && link.inertial->mass ? *link.inertial->mass : 0.0;
}

bool HasInertia(const UrdfLink& link) {
  return link.inertial && link.inertial->inertia &&
         PrincipalMoments(*link.inertial->inertia)[0] > mjMINVAL;
}

// Whether MuJoCo takes the link as one with mass; impossible inertias are another matter.
bool HasMass(const UrdfModel& urdf, const UrdfLink& link) {
  if (urdf.compiler.inertia_from_geometry && link.collisions > 0) return true;
  return std::abs(MassOf(link)) > mjMINVAL && HasInertia(link);
}

std::string NoMassText(const UrdfLink& link) {
  if (MassOf(link) > mjMINVAL)
    return fmt::format("moves and has a mass of {:.6g} kg, but no inertia", MassOf(link));
  const std::string has = link.inertial ? "its mass is 0" : "it has no <inertial>";
  return fmt::format("moves, but {}, and nothing with mass is welded to it", has);
}

void CheckInertia(const UrdfLink& link, bool balanced, std::vector<ModelFinding>& findings) {
  const std::string object = fmt::format("link '{}'", link.name);
  if (MassOf(link) < 0.0)
    findings.push_back({ModelSeverity::kError, object,
                        fmt::format("its mass is {} kg; a mass is positive", MassOf(link)),
                        link.inertial->line});
  if (!HasInertia(link) || MassOf(link) == 0.0) {
    if (link.inertial && link.inertial->inertia && MassOf(link) != 0.0 &&
        PrincipalMoments(*link.inertial->inertia)[2] < 0.0)
      findings.push_back(
          {ModelSeverity::kError, object, "its inertia is negative", link.inertial->line});
    return;
  }
  const auto moments = PrincipalMoments(*link.inertial->inertia);
  if (moments[2] <= mjMINVAL) {
    findings.push_back({ModelSeverity::kError, object,
                        fmt::format("its inertia has the principal moments {:.6g} {:.6g} {:.6g} "
                                    "kg m^2; all must be positive",
                                    moments[0], moments[1], moments[2]),
                        link.inertial->line});
  } else if (TriangleExcess(*link.inertial->inertia) > 0.0 && !balanced) {
    findings.push_back(
        {ModelSeverity::kError, object,
         fmt::format("no body has its inertia: the largest principal moment {:.6g} kg m^2 is above "
                     "the sum of the others, {:.6g} + {:.6g} (triangle inequality)",
                     moments[0], moments[1], moments[2]),
         link.inertial->line});
  }
}

// Mass and mean squared radius of gyration of what moves.
struct Moving {
  double mass = 0.0;        // kg
  double gyration_2 = 0.0;  // m²
};
Moving MovingMass(const UrdfModel& urdf) {
  const Welds welds = FindWelds(urdf);
  Moving moving;
  double moment = 0.0;
  for (std::size_t i = 0; i < urdf.links.size(); ++i) {
    const UrdfLink& link = urdf.links[i];
    if (!welds.has_joint[welds.owner[i]] || !HasInertia(link) || MassOf(link) <= 0.0) continue;
    const InertiaTensor& inertia = *link.inertial->inertia;
    moving.mass += MassOf(link);
    moment += (inertia[0] + inertia[1] + inertia[2]) / 3.0;
  }
  if (moving.mass > 0.0) moving.gyration_2 = moment / moving.mass;
  return moving;
}

void FillLink(double mass, double gyration_2, UrdfLink& link, std::vector<ModelRepair>& repairs) {
  const std::string object = fmt::format("link '{}'", link.name);
  if (!link.inertial) link.inertial = UrdfInertial{.line = link.line};
  if (MassOf(link) <= mjMINVAL) {
    repairs.push_back(
        {object, "mass", link.inertial->mass ? "0 kg" : "none", fmt::format("{:.6g} kg", mass)});
    link.inertial->mass = mass;
    link.inertial->origin = {};
  }
  const InertiaTensor inertia = Isotropic(*link.inertial->mass * gyration_2);
  repairs.push_back({object, "inertia",
                     link.inertial->inertia ? InertiaText(*link.inertial->inertia) : "none",
                     InertiaText(inertia)});
  link.inertial->inertia = inertia;
}

}  // namespace

std::vector<int> LinksWithoutMass(const UrdfModel& urdf) {
  const Welds welds = FindWelds(urdf);
  std::vector<bool> heavy(urdf.links.size(), false);
  for (std::size_t i = 0; i < urdf.links.size(); ++i) {
    if (HasMass(urdf, urdf.links[i])) heavy[welds.owner[i]] = true;
  }
  std::vector<int> links;
  for (std::size_t i = 0; i < urdf.links.size(); ++i) {
    if (welds.has_joint[i] && !heavy[i]) links.push_back(static_cast<int>(i));
  }
  return links;
}

std::vector<ModelFinding> CheckMasses(const UrdfModel& urdf) {
  std::vector<ModelFinding> findings;
  for (const int i : LinksWithoutMass(urdf)) {
    const UrdfLink& link = urdf.links[i];
    findings.push_back(
        {ModelSeverity::kError, fmt::format("link '{}'", link.name),
         NoMassText(link) + "; give it its measured mass and inertia, or import with repair 'fill'",
         link.line});
  }
  for (const UrdfLink& link : urdf.links)
    CheckInertia(link, urdf.compiler.balance_inertia, findings);
  return findings;
}

std::vector<ModelRepair> FillMasses(UrdfModel& urdf, bool rounding_only) {
  std::vector<ModelRepair> repairs;
  for (UrdfLink& link : urdf.links) {
    if (!HasInertia(link) || MassOf(link) <= 0.0) continue;
    InertiaTensor& inertia = *link.inertial->inertia;
    const double excess = TriangleExcess(inertia);
    const bool flat = PrincipalMoments(inertia)[2] <= mjMINVAL;
    if (!(excess > 0.0 || flat) || (rounding_only && excess > kRoundedInertia)) continue;
    const auto nearest = NearestPhysical(inertia);
    if (!nearest || PrincipalMoments(*nearest)[2] <= mjMINVAL) continue;
    repairs.push_back({fmt::format("link '{}'", link.name), "inertia", InertiaText(inertia),
                       InertiaText(*nearest)});
    inertia = *nearest;
  }
  if (rounding_only) return repairs;
  const std::vector<int> empty = LinksWithoutMass(urdf);
  const Moving moving = MovingMass(urdf);
  if (empty.empty() || !(moving.gyration_2 > 0.0)) return repairs;
  const double share = kFilledMassShare * moving.mass / static_cast<double>(empty.size());
  for (const int i : empty) FillLink(share, moving.gyration_2, urdf.links[i], repairs);
  return repairs;
}

}  // namespace realward
