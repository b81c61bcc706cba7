// SPDX-License-Identifier: Apache-2.0

package import Profiles

package struct CalibrationOutcome: Sendable, Equatable {
  /// The profile; the hash of its source is empty, for whoever keeps the recordings to fill in.
  package var profile: CalibrationProfile
  /// What a person should know: one sentence each.
  package var notes: [String]
  package var figures: CalibrationFigures
}

/// The curves of a calibration, as numbers to draw.
package struct CalibrationFigures: Sendable, Equatable {
  package struct Curve: Sendable, Equatable {
    package var label: String
    package var x: [Double]
    package var y: [Double]

    package init(label: String, x: [Double], y: [Double]) {
      self.label = label
      self.x = x
      self.y = y
    }
  }

  /// A point of the plane of intensity and sharpness, without and with the profile: levels in dB above
  /// threshold, frequencies in hertz.
  package struct GridPoint: Sendable, Equatable {
    package var intensity: Double
    package var sharpness: Double
    package var targetLevel: Double
    package var targetFrequency: Double
    /// The level that the model gives without a profile, at the drive of an uncalibrated actuator; nil
    /// where nothing is known of it.
    package var beforeLevel: Double?
    package var level: Double
    package var frequency: Double
    /// One standard deviation of the level, in dB.
    package var uncertainty: Double
    /// Whether the point could not be reached as asked and was mapped to what can.
    package var mapped: Bool
  }

  /// A tap as it was wanted, driven and measured; times in seconds.
  package struct Tap: Sendable, Equatable {
    /// Noise above this share of the wanted peak leaves a tap's errors untold.
    package static let highestNoise = 0.03

    package var intensity: Double
    package var sharpness: Double
    /// From the tap's beginning.
    package var time: [Double]
    /// The wanted acceleration in m/s2 from 10 Hz to 2.5 kHz, as the sensor shows it, at the times.
    package var wanted: [Double]
    /// The measured acceleration in m/s2 in the same band, at the times, the rig's delay taken out.
    package var measured: [Double]
    package var volts: [Double]
    package var end: Double
    /// How long after that the envelope last stood 20 dB below its peak, in seconds; below zero where it
    /// fell before; nil where noise hides it.
    package var t20: Double?
    /// The pulse-to-ring ratio in dB; nil where noise hides the ring.
    package var pulseToRing: Double?
    /// The noise of a sample of `measured`, one standard deviation in m/s2.
    package var noise = 0.0
    /// What was asked for, and what mapping made of it; nil where nobody kept it.
    package var asked: Asked?

    /// A tap before and after mapping: levels in dB above threshold, frequencies in hertz.
    package struct Asked: Sendable, Equatable {
      package var targetLevel: Double
      package var targetFrequency: Double
      package var wantedLevel: Double
      package var wantedFrequency: Double
      /// Whether the tap could not be reached as asked and was mapped to what can.
      package var mapped: Bool
    }
  }

  /// The modulus of the response in m/s2 per volt over hertz, a curve each level.
  package var responses: [Curve] = []
  /// The same of the fitted model, at small signal.
  package var model: Curve?
  /// The phase in degrees over hertz with the delay taken out, a curve each level.
  package var phases: [Curve] = []
  /// The impulse response at small signal, over seconds, as shares of its greatest value.
  package var impulse: Curve?
  /// Resonance `f0` in hertz, `Q` and `gain` over the peak voltage of the drive.
  package var levels: [Curve] = []
  /// Harmonics as a share of the fundamental over hertz, a curve each level.
  package var distortion: [Curve] = []
  /// The coherence of drive and response, 0...1, over hertz: a curve each level that was swept again.
  package var coherence: [Curve] = []
  /// How the electrical delay scattered within the segments at most, one standard deviation in seconds;
  /// nil where no reference tells.
  package var delayScatter: Double?
  /// How much faster the capture counted than the drive, in ppm; nil where nothing tells.
  package var clockOffset: Double?
  /// The strongest steady vibration in m/s2 over hertz.
  package var ceiling: Curve?
  /// The noise at rest in m/s2 per root hertz over hertz.
  package var noise: Curve?
  package var grid: [GridPoint] = []
  /// Points that nothing was fitted to.
  package var heldOut: [GridPoint] = []
  package var taps: [Tap] = []
  /// The envelope of a pattern that nothing was fitted to, `asked` and `measured`: peak acceleration in
  /// m/s2 over seconds, where the actuator reaches what is asked.
  package var pattern: [Curve] = []
  /// A motor's `speed` in hertz and `acceleration` in m/s2 over volts, and `spin-up` in hertz over
  /// seconds.
  package var motor: [Curve] = []

  package init() {}
}
