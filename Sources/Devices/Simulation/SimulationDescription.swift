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

  /// Makes a simulation.
  public init(
    seed: UInt64 = 1, clock: Clock = .virtual, plant: PlantParameters, drive: Converter = .init(),
    capture: Converter = .init(), sensor: Sensor = .init(), sound: SoundPath = .init(),
    transportDelay: Double = 0, faults: [Fault] = []
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
  }
}
