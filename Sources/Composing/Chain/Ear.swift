// SPDX-License-Identifier: Apache-2.0

/// What is heard of a hop.
///
/// Nothing of it depends on a method's settings.
struct Heard: Sendable {
  var hop: Hop
  /// Of the spectrum that ends with the hop; nil where none is read.
  var spectrum: HeardSpectrum?
}

/// What methods go by of a spectrum.
struct HeardSpectrum: Sendable {
  /// How much it rises, in dB.
  var rise = 0.0
  /// The place of its loudness, in octaves above the lowest one of the bank; nil where there is none.
  var octave: Double?
}

/// How an ear hears sounds of a rate, whatever the sound.
struct Hearing: Sendable {
  /// How many samples a hop has.
  let hopLength: Int
  /// From the middle of a spectrum to its being known, in seconds.
  let spectrumDelay: Double
}

/// The stage that hears: from the samples of a sound to what methods go by, hop by hop.
struct Ear: ~Copyable {
  let hearing: Hearing
  private var analyzer: HopAnalyzer
  private var spectrum: LogSpectrum
  private var rise: SpectralRise?
  private let place: LoudnessPlace?
  private var hopCount = 0

  /// Makes one for methods and sounds of a loudness in LUFS; nil for silence.
  init(
    for methods: [ComposeMethod], timing: ComposeTiming = .whole, reference: Double?, rate: Double
  ) {
    let analyzer = HopAnalyzer(rate: rate)
    let spectrum = LogSpectrum(seconds: timing.window, rate: rate)
    let centres = spectrum.centres
    hearing = Hearing(hopLength: analyzer.length, spectrumDelay: spectrum.delay)
    self.analyzer = analyzer
    self.spectrum = spectrum
    rise = reference.flatMap { reference in
      methods.contains(.onsets) ? SpectralRise(reference: reference, bands: centres.count) : nil
    }
    place =
      reference != nil && methods.contains(.pitch)
      ? LoudnessPlace(centres: centres, rate: rate) : nil
  }

  /// Takes the samples of one hop.
  mutating func hear(_ samples: Span<Float>) -> Heard {
    var heard = Heard(hop: analyzer.analyze(samples))
    hopCount += 1
    guard rise != nil || place != nil else { return heard }
    spectrum.hear(samples)
    guard hopCount.isMultiple(of: SpectralFlux.hops) else { return heard }
    spectrum.read()
    heard.spectrum = HeardSpectrum(
      rise: rise?.rise(of: spectrum.magnitudes) ?? 0,
      octave: place?.octave(of: spectrum.magnitudes))
    return heard
  }
}
