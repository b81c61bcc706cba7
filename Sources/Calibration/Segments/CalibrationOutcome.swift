public import Profiles

/// What a calibration ends with.
public struct CalibrationOutcome: Sendable, Equatable {
  /// The profile; the hash of its source is empty, for whoever keeps the recordings to fill in.
  public var profile: CalibrationProfile
  /// What a person should know: one sentence each.
  public var notes: [String]
  /// The curves for a certificate.
  public var figures: CalibrationFigures
}

/// The curves of a calibration, as numbers to draw.
public struct CalibrationFigures: Sendable, Equatable {
  /// One curve.
  public struct Curve: Sendable, Equatable {
    /// What a legend says of it.
    public var label: String
    /// The abscissae, rising.
    public var x: [Double]
    /// The ordinates, one an abscissa.
    public var y: [Double]

    /// Makes a curve.
    public init(label: String, x: [Double], y: [Double]) {
      self.label = label
      self.x = x
      self.y = y
    }
  }

  /// A point of the plane of intensity and sharpness, without and with the profile.
  public struct GridPoint: Sendable, Equatable {
    /// The intensity, 0...1.
    public var intensity: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// The level asked for, in dB above threshold.
    public var targetLevel: Double
    /// The frequency asked for, in hertz.
    public var targetFrequency: Double
    /// The level that the model gives without a profile, at the drive of an uncalibrated actuator; nil
    /// where nothing is known of it.
    public var beforeLevel: Double?
    /// The level measured with the profile, in dB above threshold.
    public var level: Double
    /// The frequency measured with the profile, in hertz.
    public var frequency: Double
    /// One standard deviation of the level, in dB.
    public var uncertainty: Double
    /// Whether the point could not be reached as asked and was mapped to what can.
    public var mapped: Bool
  }

  /// A tap as it was wanted, driven and measured.
  public struct Tap: Sendable, Equatable {
    /// Noise above this share of the wanted peak leaves a tap's errors untold.
    public static let highestNoise = 0.03

    /// The intensity, 0...1.
    public var intensity: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// Seconds from the tap's beginning.
    public var time: [Double]
    /// The wanted acceleration in m/s2 from 10 to 3,000 Hz, as the sensor shows it, at the times.
    public var wanted: [Double]
    /// The measured acceleration in m/s2 in the same band, at the times, the rig's delay taken out.
    public var measured: [Double]
    /// The voltage, at the times.
    public var volts: [Double]
    /// When the tap is to end, in seconds.
    public var end: Double
    /// How long after that the envelope last stood 20 dB below its peak, in seconds; below zero where it
    /// fell before; nil where noise hides it.
    public var t20: Double?
    /// The pulse-to-ring ratio in dB; nil where noise hides the ring.
    public var pulseToRing: Double?
    /// The noise of a sample of `measured`, one standard deviation in m/s2.
    public var noise = 0.0
    /// What was asked for, and what mapping made of it; nil where nobody kept it.
    public var asked: Asked?

    /// A tap before and after mapping: levels in dB above threshold, frequencies in hertz.
    public struct Asked: Sendable, Equatable {
      /// The level that the laws ask for.
      public var targetLevel: Double
      /// The frequency that the laws ask for.
      public var targetFrequency: Double
      /// The level that was wanted after mapping.
      public var wantedLevel: Double
      /// The frequency that was wanted after mapping.
      public var wantedFrequency: Double
      /// Whether the tap could not be reached as asked and was mapped to what can.
      public var mapped: Bool
    }
  }

  /// The modulus of the response in m/s2 per volt over hertz, a curve each level.
  public var responses: [Curve] = []
  /// The same of the fitted model, at small signal.
  public var model: Curve?
  /// The phase in degrees over hertz with the delay taken out, a curve each level.
  public var phases: [Curve] = []
  /// The impulse response at small signal, over seconds, as shares of its greatest value.
  public var impulse: Curve?
  /// Resonance `f0` in hertz, `Q` and `gain` over the peak voltage of the drive.
  public var levels: [Curve] = []
  /// Harmonics as a share of the fundamental over hertz, a curve each level.
  public var distortion: [Curve] = []
  /// The coherence of drive and response, 0...1, over hertz: a curve each level that was swept again.
  public var coherence: [Curve] = []
  /// How the electrical delay scattered within the segments at most, one standard deviation in seconds;
  /// nil where no reference tells.
  public var delayScatter: Double?
  /// How much faster the capture counted than the drive, in ppm; nil where nothing tells.
  public var clockOffset: Double?
  /// The strongest steady vibration in m/s2 over hertz.
  public var ceiling: Curve?
  /// The noise at rest in m/s2 per root hertz over hertz.
  public var noise: Curve?
  /// The grid that was verified.
  public var grid: [GridPoint] = []
  /// Points that nothing was fitted to.
  public var heldOut: [GridPoint] = []
  /// Taps.
  public var taps: [Tap] = []
  /// The envelope of a pattern that nothing was fitted to, `asked` and `measured`: peak acceleration in
  /// m/s2 over seconds, where the actuator reaches what is asked.
  public var pattern: [Curve] = []
  /// A motor's `speed` in hertz and `acceleration` in m/s2 over volts, and `spin-up` in hertz over
  /// seconds.
  public var motor: [Curve] = []

  /// Makes empty figures.
  public init() {}
}
