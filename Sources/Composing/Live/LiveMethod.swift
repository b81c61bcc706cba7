// SPDX-License-Identifier: Apache-2.0

/// A method as it follows a sound that goes on: hops of samples in, level, sharpness and taps out.
///
/// Has no memory of its own and asks for none: a render thread works it, and it can be lent to one by its
/// address. `pitch` and the spectra of `onsets` wait too long for it: followed, `onsets` goes by octaves. The layers
/// have no taps beside them: they rise within a hop, so that a hit makes itself felt, and two vibrations of one
/// actuator would add or cancel by chance.
package struct LiveMethod: Sendable {
  /// The methods that follow.
  package static let methods: [ComposeMethod] = [.envelope, .bands, .onsets]
  /// The level in dB of full scale below which an input is silence.
  package static let standardGate = -60.0
  /// The bounds of a gain that is set, in dB.
  package static let gains = -60.0...60.0
  /// The bounds of the level of the gate, in dB of full scale.
  package static let gates = -120.0...0.0
  /// The bounds of the gain of a band, in dB.
  package static let bandGains = -40.0...20.0

  package let method: ComposeMethod
  /// How many samples a hop has.
  package let hopLength: Int
  /// The length of a hop in seconds: what comes out is reached within it, along a straight line.
  package let hop: Double

  private var analyzer: HopAnalyzer
  private var ride: GainRide
  private var gate: SoundGate
  private var envelope: EnvelopeLayer?
  private var bands: BandLayer?
  private var taps: LiveTaps?
  private var weights = SIMD8<Float>(repeating: 1)
  private var bandBits: UInt64 = 0
  /// The mean square of the last hop, as it was heard.
  private(set) var heard = 0.0

  /// Makes a method for so many samples a second.
  ///
  /// Traps for `pitch`, and unless the rate is from 8 to 192 kHz.
  package init(_ settings: ComposeSettings, rate: Double) {
    precondition(
      Self.methods.contains(settings.method), "\(settings.method.rawValue) follows no live sound")
    precondition(
      (8_000...192_000).contains(rate), "sounds are followed at 8 to 192 kHz, not \(rate)")
    analyzer = HopAnalyzer(rate: rate)
    let hop = Double(analyzer.length) / rate
    var settings = settings
    // A hop is the average of its samples: what else would smooth a rise only makes it late.
    if settings.method != .onsets { settings[.attack] = 0 }
    let reference = GainRide.target
    method = settings.method
    hopLength = analyzer.length
    self.hop = hop
    ride = GainRide(hop: hop)
    gate = SoundGate(hop: hop)
    envelope =
      method == .envelope ? EnvelopeLayer(settings, reference: reference, hop: hop) : nil
    bands = method == .bands ? BandLayer(settings, reference: reference, hop: hop) : nil
    taps =
      method == .onsets
      ? LiveTaps(settings, reference: reference, rate: rate, hop: hop) : nil
  }

  /// How late the method is.
  ///
  /// A hop is half its length late, and its value is reached a hop later along a straight line. Bands are narrow:
  /// the lowest octave of the bank rises in some 10 ms. A tap waits for the end of its hop and is listened to. The
  /// level of a tone that begins is known after half a period, whoever looks: that is not counted.
  package var delay: LiveDelay {
    switch method {
    case .bands: LiveDelay(typical: 1.46 * hop, longest: 8 * hop)
    case .onsets:
      LiveDelay(
        typical: (0.5 + Double(LiveTaps.listening)) * hop,
        longest: (2 + Double(LiveTaps.listening)) * hop)
    default: LiveDelay(typical: 1.48 * hop, longest: 2 * hop)
    }
  }

  /// The gain in force, in dB.
  package var gain: Double {
    @_noAllocation @_noLocks get { ride.inForce }
  }

  /// Whether the sound is above the gate.
  var isOpen: Bool {
    @_noAllocation @_noLocks get { gate.isOpen }
  }

  /// Sets what can be set while it works.
  ///
  /// The gain is in dB, NaN lets it ride; the gate is a level in dB of full scale; bands are the gains of the four
  /// in dB, each a number of 16 bits, the lowest band in the lowest ones. They act on sharpness, taps and `bands`.
  @_noAllocation @_noLocks
  package mutating func set(gain: Double, gate level: Double, bands: UInt64) {
    ride.set(gain)
    gate.level = level
    guard bands != bandBits else { return }
    bandBits = bands
    for octave in 0..<8 {
      // As `BandLayer` divides them.
      let band = octave < 3 ? 0 : octave < 5 ? 1 : octave < 6 ? 2 : 3
      let gain = Int16(truncatingIfNeeded: bands >> UInt64(16 * band))
      weights[octave] = Float(power(ofDecibels: Double(gain)))
    }
  }

  /// Goes on with the gain and the gate of another.
  @_noAllocation @_noLocks
  package mutating func takeOver(_ other: LiveMethod) {
    ride = other.ride
    gate = other.gate
  }

  /// Takes the samples of one hop.
  @_noAllocation @_noLocks
  package mutating func hear(_ samples: Span<Float>) -> LiveCue {
    var hop = analyzer.analyze(samples)
    heard = hop.power
    gate.hear(heard)
    if gate.isOpen {
      ride.learn(hop.loudness)
      let share = power(ofDecibels: ride.inForce)
      hop.power *= share
      hop.loudness *= share
      hop.octaves *= Float(share) * weights
    } else {
      hop = Hop()
    }
    var cue = LiveCue()
    taps?.hear(hop.octaves, &cue)
    let value = envelope?.value(for: hop) ?? bands?.value(for: hop) ?? .silence
    cue.sharpness = value.sharpness
    if value.level > -.infinity { cue.intensity = Intensity.of(level: value.level) }
    return cue
  }
}
