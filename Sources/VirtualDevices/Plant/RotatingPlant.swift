import Devices
import Glibc

/// An eccentric mass on a DC motor: its speed follows the voltage with a lag, its force is m r w^2.
///
/// The speed goes to ratedSpeed V / ratedVolts with the time constant of spinning up, so that a
/// reversed voltage brakes. From rest it takes the start voltage to get going; once it turns, it goes on
/// down to half of that and then coasts to rest. The force turns with the rotor: the cosine lies along
/// the actuator's axis, the sine across it.
struct RotatingPlant: SimulatedPlant {
  static let movesAcross = true

  /// The speed in radians a second; negative backwards.
  private(set) var speed = 0.0
  private(set) var acceleration: SIMD2<Double> = .zero
  private(set) var current = 0.0

  private let motor: PlantParameters.RotatingMotor
  private let radiansPerVolt: Double
  private let length: Double
  private let lag: Double
  private let forceScale: Double
  private var angle = 0.0
  private var turns = false
  private var lastVolts = 0.0

  /// Makes a motor at rest that goes on by steps of `step` seconds.
  init(_ motor: PlantParameters.RotatingMotor, step: Double) {
    self.motor = motor
    radiansPerVolt = 2 * Double.pi * motor.ratedSpeed / motor.ratedVolts
    length = step
    lag = -expm1(-step / motor.spinUpTime)
    forceScale = motor.staticMoment / motor.mountMass
  }

  @inline(__always)
  mutating func step(volts: Double, held: Bool) {
    let mean = 0.5 * (volts + lastVolts)
    lastVolts = volts
    let before = speed
    if abs(mean) >= motor.startVolts { turns = true }
    let driven = turns && abs(mean) >= 0.5 * motor.startVolts
    speed += ((driven ? mean * radiansPerVolt : 0) - speed) * lag
    // Friction ends what is too slow, or turns about, without a voltage that could start it.
    let slow = !driven && abs(speed) < 0.1 * motor.startVolts * radiansPerVolt
    if held || (abs(mean) < motor.startVolts && (slow || before * speed < 0)) {
      speed = 0
      turns = false
    }
    angle += 0.5 * (before + speed) * length
    if abs(angle) > .pi { angle -= angle > 0 ? 2 * .pi : -2 * .pi }
    current = (volts - speed / radiansPerVolt) / motor.resistance
    let force = forceScale * speed * speed
    acceleration = force == 0 ? .zero : SIMD2(force * cos(angle), force * sin(angle))
  }
}
