// SPDX-License-Identifier: Apache-2.0

/// What follows the ear: a pattern of what is heard, hop by hop.
struct HopComposer {
  private var history: SoundHistory
  private var chain: MethodChain?
  private let voice: TapVoice?
  private let places: PlacedOnsets?
  private var onsets: [Double] = []
  private var assembly: PatternAssembly
  private var recorder: TraceRecorder?
  private let rate: Double
  /// How many samples of the sound are known, those included that are still to be worked through.
  var frameCount = 0

  /// The silence that ends a sound, in seconds: until all is known that belongs to it.
  static let tail = 0.3

  /// How long after an onset the sound must be known to place it and to hear how strong it is.
  private static let listening = 0.06
  /// What must be left of the sound after a tap: its end is a click, but no onset.
  private static let leastRest = 0.01
  /// How long after a moment a tap of that moment may still come.
  private static let patience = 0.15

  /// Makes one for sounds of a loudness in LUFS, nil for silence.
  ///
  /// `places` are those of the onsets of the same sound that were placed before.
  init(
    _ settings: ComposeSettings, _ hearing: Hearing, reference: Double?, rate: Double,
    tracePoints: Int?, places: PlacedOnsets? = nil
  ) {
    let hop = Double(hearing.hopLength) / rate
    chain = reference.map {
      MethodChain(settings, reference: $0, spectrumDelay: hearing.spectrumDelay, hop: hop)
    }
    voice = reference.flatMap { TapVoice(settings, reference: $0, rate: rate, hop: hop) }
    assembly = PatternAssembly(settings, patience: Self.patience, hop: hop)
    recorder = tracePoints.map { TraceRecorder(mostPoints: $0, hop: hop) }
    history = SoundHistory(rate: rate)
    self.places = places
    self.rate = rate
  }

  /// Ends the sound, whose tail was taken too, and gives what it was composed to.
  mutating func finish(faultCount: Int) -> Composition {
    Composition(
      pattern: assembly.finish(at: duration), duration: duration, faultCount: faultCount,
      trace: recorder?.trace)
  }

  /// The end of the sound as far as it has come.
  private var duration: Double { Double(frameCount) / rate }

  /// The end of the hops that are worked through.
  private var now: Double { Double(history.count) / rate }

  /// Takes the samples of a hop and what is heard of them.
  mutating func take(_ heard: Heard, _ samples: Span<Float>) {
    let began = now
    history.append(heard.hop, samples)
    if began < duration { recorder?.note(heard.hop, at: began) }
    guard var chain = chain.take() else { return }
    defer { self.chain = chain }

    let isOnset = chain.isOnset(heard)
    if let delay = chain.onsetDelay {
      if isOnset { onsets.append(now - delay) }
      // Before it is known whether it is the largest.
      note(Float(chain.rise), at: now - chain.riseDelay, of: \.rise)
    }
    placeTaps()
    if let delay = chain.layerDelay, let value = chain.value(for: heard.hop), now - delay < duration
    {
      assembly.add(value, at: now - delay)
      note(Float(Intensity.of(level: value.level)), at: now - delay, of: \.intensity)
      note(Float(value.sharpness), at: now - delay, of: \.sharpness)
    }
  }

  /// Makes taps of the onsets of which enough is known.
  private mutating func placeTaps() {
    while let onset = onsets.first, now - onset > Self.listening {
      onsets.removeFirst()
      let place = places?.place(of: onset, in: history) ?? OnsetLocator().locate(onset, in: history)
      let time = max(0, place)
      guard time + Self.leastRest < duration, let tap = voice?.tap(at: time, history) else {
        continue
      }
      assembly.add(tap)
    }
  }

  private mutating func note(
    _ value: Float, at time: Double, of line: WritableKeyPath<CompositionTrace, [Float]>
  ) {
    guard time < duration else { return }
    recorder?.note(value, at: time, of: line)
  }
}
