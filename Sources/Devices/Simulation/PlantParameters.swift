/// The physics of one simulated actuator.
public enum PlantParameters: Sendable, Equatable {
  /// A mass on a spring in a magnet: LRA and voice coil.
  case linear(LinearMotor)
  /// An eccentric mass on a DC motor.
  case rotating(RotatingMotor)

  /// A moving coil or magnet: m x'' + c x' + k(x) x = Bl(x) i, V = R i + L di/dt + Bl(x) x'.
  public struct LinearMotor: Sendable, Equatable {
    /// The small-signal resonance in hertz.
    public var resonance: Double
    /// The total quality factor under voltage drive, at small signal.
    public var quality: Double
    /// The coil's resistance in ohm.
    public var resistance: Double
    /// The coil's inductance in henry.
    public var inductance: Double
    /// The moving mass in kilograms.
    public var movingMass: Double
    /// The travel at rated voltage in metres; end stops stand at 1.2 times this.
    public var travel: Double
    /// Force factor Bl at rest, in newton per ampere.
    public var forceFactor: Double
    /// The mass that carries actuator and sensor, in kilograms.
    public var mountMass: Double
    /// How much stiffer the spring is at full travel, 0.05 for five percent.
    public var hardening: Double
    /// How much weaker the force factor is at full travel, 0.1 for ten percent.
    public var forceFactorLoss: Double

    /// Makes a motor.
    public init(
      resonance: Double, quality: Double, resistance: Double, inductance: Double = 0.1e-3,
      movingMass: Double, travel: Double, forceFactor: Double, mountMass: Double = 0.1,
      hardening: Double = 0.05, forceFactorLoss: Double = 0.1
    ) {
      self.resonance = resonance
      self.quality = quality
      self.resistance = resistance
      self.inductance = inductance
      self.movingMass = movingMass
      self.travel = travel
      self.forceFactor = forceFactor
      self.mountMass = mountMass
      self.hardening = hardening
      self.forceFactorLoss = forceFactorLoss
    }
  }

  /// A DC motor with an eccentric mass: J w' = Ke i - friction, V = R i + Ke w, force m r w^2.
  public struct RotatingMotor: Sendable, Equatable {
    /// The speed at rated voltage, in revolutions a second.
    public var ratedSpeed: Double
    /// The rated voltage in volts.
    public var ratedVolts: Double
    /// The resistance in ohm.
    public var resistance: Double
    /// The time constant of spinning up, in seconds.
    public var spinUpTime: Double
    /// The static moment m r in kilogram metres.
    public var staticMoment: Double
    /// The mass that carries actuator and sensor, in kilograms.
    public var mountMass: Double
    /// The voltage that it takes to start turning, in volts.
    public var startVolts: Double

    /// Makes a motor.
    public init(
      ratedSpeed: Double, ratedVolts: Double, resistance: Double, spinUpTime: Double,
      staticMoment: Double, mountMass: Double = 0.1, startVolts: Double = 0.3
    ) {
      self.ratedSpeed = ratedSpeed
      self.ratedVolts = ratedVolts
      self.resistance = resistance
      self.spinUpTime = spinUpTime
      self.staticMoment = staticMoment
      self.mountMass = mountMass
      self.startVolts = startVolts
    }
  }

  /// Self-consistent synthetic actuators by name, in the order of their names.
  public static let catalogue: [(name: String, parameters: PlantParameters)] = [
    ("coinZ-170", coin),
    ("erm-150", ermSlow),
    ("erm-200", ermFast),
    ("lin-230", linear(230, 12, 10, 2.0e-3, 0.4e-3, 0.428)),
    ("linX-145", linear(145, 10, 12, 3.0e-3, 0.9e-3, 0.634)),
    ("linX-150hiQ", linear(150, 12, 8.2, 1.4e-3, 0.8e-3, 0.240)),
    ("linX-170", linear(170, 9, 10, 2.0e-3, 0.9e-3, 0.645)),
    ("slim-240", linear(240, 15, 16, 0.8e-3, 0.25e-3, 0.286)),
    ("vcm-65", linear(65, 2.5, 8, 5e-3, 2e-3, 1.89)),
    ("vcm-pad", linear(65, 4, 8, 10e-3, 2e-3, 2.36)),
  ]

  /// The catalogue's actuator of a name.
  public static func named(_ name: String) -> PlantParameters? {
    catalogue.first { $0.name == name }?.parameters
  }

  private static var coin: PlantParameters { linear(170, 9, 13.8, 1.2e-3, 0.75e-3, 0.445) }

  private static var ermFast: PlantParameters {
    .rotating(
      RotatingMotor(
        ratedSpeed: 200, ratedVolts: 3, resistance: 35, spinUpTime: 0.06, staticMoment: 1e-6))
  }

  private static var ermSlow: PlantParameters {
    .rotating(
      RotatingMotor(
        ratedSpeed: 150, ratedVolts: 3, resistance: 5.5, spinUpTime: 0.06, staticMoment: 2e-6))
  }

  private static func linear(
    _ resonance: Double, _ quality: Double, _ resistance: Double, _ movingMass: Double,
    _ travel: Double, _ forceFactor: Double
  ) -> PlantParameters {
    .linear(
      LinearMotor(
        resonance: resonance, quality: quality, resistance: resistance, movingMass: movingMass,
        travel: travel, forceFactor: forceFactor))
  }
}
