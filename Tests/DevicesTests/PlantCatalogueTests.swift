// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing

/// The catalogue's actuators are physical, and do at their rated voltage what their table says.
struct PlantCatalogueTests {
  /// Rated effective voltage, travel in metres, acceleration of 100 g in g peak, decay in seconds.
  private static let linear: [(name: String, volts: Double, gravities: Double, decay: Double)] = [
    ("coinZ-170", 2.5, 1.05, 16.9e-3), ("linX-170", 2.5, 2.09, 16.9e-3),
    ("linX-145", 3, 2.29, 22e-3), ("linX-150hiQ", 2, 1.01, 25.5e-3),
    ("lin-230", 2.3, 1.70, 16.6e-3),
    ("slim-240", 1.2, 0.46, 19.9e-3), ("vcm-65", 2, 1.70, 12.2e-3), ("vcm-pad", 2, 3.40, 19.6e-3),
  ]

  private func motor(_ name: String) throws -> PlantParameters.LinearMotor {
    guard case .linear(let motor) = try #require(PlantParameters.named(name)) else {
      Issue.record("\(name) is not linear")
      throw CancellationError()
    }
    return motor
  }

  // Under voltage drive at resonance: x = Bl V sqrt(2) / R * Q / k with k = m w0^2, and the mount
  // moves by k x / M.
  @Test(arguments: linear)
  func `a linear motor reaches its travel and acceleration at rated voltage`(
    name: String, volts: Double, gravities: Double, decay: Double
  ) throws {
    let motor = try motor(name)
    let w0 = 2 * .pi * motor.resonance
    let stiffness = motor.movingMass * w0 * w0
    let force = motor.forceFactor * volts * 2.squareRoot() / motor.resistance
    let travel = force * motor.quality / stiffness
    #expect(abs(travel / motor.travel - 1) < 0.02, "\(travel) m")
    let acceleration = stiffness * travel / motor.mountMass / 9.80665
    #expect(abs(acceleration / gravities - 1) < 0.02, "\(acceleration) g")
    #expect(abs(motor.quality / (.pi * motor.resonance) / decay - 1) < 0.01)
  }

  // c = m w0 / Q - Bl^2 / R: what is left beside the electrical damping must not drive the motion.
  @Test(arguments: linear)
  func `the mechanical damping is positive`(
    name: String, volts: Double, gravities: Double, decay: Double
  ) throws {
    let motor = try motor(name)
    let total = motor.movingMass * 2 * .pi * motor.resonance / motor.quality
    let electrical = motor.forceFactor * motor.forceFactor / motor.resistance
    #expect(total > electrical, "\(name): \(total) of which \(electrical) electrical")
  }

  // a = m r w^2 / M at rated speed: 1.61 g at 200 Hz, 1.81 g at 150 Hz on 100 g.
  @Test(arguments: [("erm-200", 200, 1.61), ("erm-150", 150, 1.81)])
  func `a rotating motor shakes as its table says`(
    name: String, speed: Double, gravities: Double
  ) throws {
    guard case .rotating(let motor) = try #require(PlantParameters.named(name)) else {
      Issue.record("\(name) is not rotating")
      return
    }
    #expect(motor.ratedSpeed == speed)
    let w = 2 * .pi * motor.ratedSpeed
    let acceleration = motor.staticMoment * w * w / motor.mountMass / 9.80665
    #expect(abs(acceleration / gravities - 1) < 0.01, "\(acceleration) g")
    #expect(motor.startVolts < motor.ratedVolts)
  }

  @Test func `names are unique, sorted, and lead to their parameters`() {
    let names = PlantParameters.catalogue.map(\.name)
    #expect(names == Set(names).sorted())
    #expect(Set(Self.linear.map(\.name)).union(["erm-150", "erm-200"]) == Set(names))
    for (name, parameters) in PlantParameters.catalogue {
      #expect(PlantParameters.named(name) == parameters)
    }
    #expect(PlantParameters.named("perpetuum") == nil)
  }
}
