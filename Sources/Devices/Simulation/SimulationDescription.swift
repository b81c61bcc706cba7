// SPDX-License-Identifier: Apache-2.0

/// What the simulated rig is made of: plant, converters, sensor, sound path, faults.
///
/// All in SI units. One seed makes it repeatable.
public struct SimulationDescription: Sendable, Equatable {
  /// How time passes for the simulated devices.
  public enum Clock: String, Sendable, Hashable, CaseIterable {
    /// As fast as the frames move: a hundred times faster than real time and more, and exact.
    case virtual
    /// At the pace of the host's monotonic clock.
    case real
  }

  /// A converter between frames and the world.
  public struct Converter: Sendable, Equatable {
    /// The delay from a frame's own time to the world, or back, in seconds.
    public var latency: Double
    /// The standard deviation of the delay from start to start, in seconds.
    public var jitter: Double
    /// How much faster than nominal its clock runs, 1e-6 for one part per million.
    public var clockOffset: Double
    /// The bits of its quantisation; 0 for none.
    public var bits: Int
    /// Its own noise, in volts RMS over its band.
    public var noiseVolts: Double

    /// Makes a converter.
    public init(
      latency: Double = 0, jitter: Double = 0, clockOffset: Double = 0, bits: Int = 24,
      noiseVolts: Double = 0
    ) {
      self.latency = latency
      self.jitter = jitter
      self.clockOffset = clockOffset
      self.bits = bits
      self.noiseVolts = noiseVolts
    }
  }

  /// The accelerometer on the plant.
  public struct Sensor: Sendable, Equatable {
    /// White noise in m/s2 per root hertz.
    public var noiseDensity: Double
    /// The -3 dB corner of its second-order Butterworth low-pass in hertz.
    public var bandwidth: Double
    /// Where it clips, in m/s2.
    public var fullScale: Double
    /// The share of gravity along the measured axis, -1...1.
    public var gravity: Double
    /// How much of the off-axis motion it feels, 0.02 for two percent.
    public var crossAxis: Double

    /// Makes a sensor.
    public init(
      noiseDensity: Double = 40e-6, bandwidth: Double = 10_000, fullScale: Double = 500,
      gravity: Double = 1, crossAxis: Double = 0.02
    ) {
      self.noiseDensity = noiseDensity
      self.bandwidth = bandwidth
      self.fullScale = fullScale
      self.gravity = gravity
      self.crossAxis = crossAxis
    }
  }

  /// The way of the sound from the drive's audio channels to the capture's.
  public struct SoundPath: Sendable, Equatable {
    /// The delay on top of both converters', in seconds.
    public var latency: Double
    /// Volts, or pascals, captured for a drive of 1.
    public var gain: Double
    /// White noise RMS over the band, in the same unit.
    public var noise: Double

    /// Makes a path.
    public init(latency: Double = 0, gain: Double = 1, noise: Double = 1e-4) {
      self.latency = latency
      self.gain = gain
      self.noise = noise
    }
  }

  /// One fault of the script.
  public struct Fault: Sendable, Equatable {
    /// What goes wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The drive runs dry and the capture over for `duration`.
      case xrun
      /// Capture packets are lost for `duration`.
      case drop
      /// The device is gone from here on.
      case unplug
      /// The sensor is driven to its end for `duration`.
      case overload
      /// The actuator does not move from here on, or for `duration`.
      case stuck
      /// The sensor hangs loose from here on, or for `duration`: it rattles and feels a tenth.
      case loose
    }

    /// What goes wrong.
    public var kind: Kind
    /// When, in seconds of the rig's time since it was opened.
    public var time: Double
    /// For how long in seconds; `nil` from then on.
    public var duration: Double?

    /// Makes a fault.
    public init(kind: Kind, time: Double, duration: Double? = nil) {
      self.kind = kind
      self.time = time
      self.duration = duration
    }
  }

  /// Where the wires of the virtual card really end, whatever the rig file says of them.
  ///
  /// Channels count from 1; below zero for a wire of which the two conductors are swapped.
  public struct Wiring: Sendable, Equatable {
    /// The card's output that feeds the actuator, the sound and the reference wire.
    public var outputs: [DriveRole: Int]
    /// The card's input that each kind of signal comes in at.
    public var inputs: [CaptureRole: Int]

    /// Makes a wiring.
    public init(outputs: [DriveRole: Int], inputs: [CaptureRole: Int]) {
      self.outputs = outputs
      self.inputs = inputs
    }
  }

  /// The seed of every random number.
  public var seed: UInt64
  /// How time passes.
  public var clock: Clock
  /// The actuator.
  public var plant: PlantParameters
  /// The drive's converter and amplifier.
  public var drive: Converter
  /// The capture's converter.
  public var capture: Converter
  /// The accelerometer.
  public var sensor: Sensor
  /// The way of the sound.
  public var sound: SoundPath
  /// The delay from force to sensor, in seconds: the way through mount and case.
  public var transportDelay: Double
  /// What goes wrong, and when.
  public var faults: [Fault]
  /// Where the wires end; `nil` for where the rig file says.
  public var wiring: Wiring?

  /// Makes a simulation.
  public init(
    seed: UInt64 = 1, clock: Clock = .virtual, plant: PlantParameters, drive: Converter = .init(),
    capture: Converter = .init(), sensor: Sensor = .init(), sound: SoundPath = .init(),
    transportDelay: Double = 0, faults: [Fault] = [], wiring: Wiring? = nil
  ) {
    self.seed = seed
    self.clock = clock
    self.plant = plant
    self.drive = drive
    self.capture = capture
    self.sensor = sensor
    self.sound = sound
    self.transportDelay = transportDelay
    self.faults = faults
    self.wiring = wiring
  }
}

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
    ("coinZ-170", linear(170, 9, 13.8, 1.2e-3, 0.75e-3, 0.445)),
    ("erm-150", rotating(150, 5.5, 2e-6)),
    ("erm-200", rotating(200, 35, 1e-6)),
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

  private static func rotating(
    _ ratedSpeed: Double, _ resistance: Double, _ staticMoment: Double
  ) -> PlantParameters {
    .rotating(
      RotatingMotor(
        ratedSpeed: ratedSpeed, ratedVolts: 3, resistance: resistance, spinUpTime: 0.06,
        staticMoment: staticMoment))
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
