// SPDX-License-Identifier: Apache-2.0

public import Units

/// Composes a pattern of a sound that comes in blocks.
///
/// Blocks may have any size: the pattern is the same, byte for byte. Memory does not grow with the sound but
/// for the events.
///
///     var meter = LoudnessMeter(rate: rate, channelCount: 2)
///     for block in sound { meter.append(block) }
///     var composer = Composer(settings, rate: rate, channelCount: 2, loudness: meter.finish())
///     for block in sound { composer.append(block) }
///     let pattern = composer.finish().pattern
public struct Composer: ~Copyable {
  private var mixer: Mixer
  private var analyzer: HopAnalyzer
  private var history: SoundHistory
  private var spectrum: LogSpectrum
  private var chain: MethodChain?
  private let voice: TapVoice?
  private var onsets: [Double] = []
  private var assembly: PatternAssembly
  private var recorder: TraceRecorder?
  private var hop: [Float] = []
  private var frameCount = 0
  private let rate: Double

  /// The rates that sounds are composed at.
  public static let rates = 8_000.0...192_000.0

  /// How long after an onset the sound must be known to place it and to hear how strong it is.
  private static let listening = 0.06
  /// What must be left of the sound after a tap: its end is a click, but no onset.
  private static let leastRest = 0.01
  /// How long after a moment a tap of that moment may still come.
  private static let patience = 0.15
  /// The silence that ends a sound: until all is known that belongs to it.
  private static let tail = 0.3

  /// Makes a composer.
  ///
  /// Takes the loudness of the whole sound, which `LoudnessMeter` measures, and the most points of a line of the
  /// trace, nil for no trace. Traps unless the rate is one of `rates` and there is a channel.
  public init(
    _ settings: ComposeSettings, rate: SampleRate, channelCount: Int, loudness: SoundLoudness,
    tracePoints: Int? = nil
  ) {
    precondition(
      Self.rates.contains(rate.hertz), "sounds are composed at 8 to 192 kHz, not at \(rate)")
    let analyzer = HopAnalyzer(rate: rate.hertz)
    let spectrum = LogSpectrum(seconds: ComposeTiming.whole.window, rate: rate.hertz)
    let hop = Double(analyzer.length) / rate.hertz
    chain = loudness.reference.map {
      MethodChain(
        settings, timing: .whole, reference: $0, spectrum: spectrum, rate: rate.hertz, hop: hop)
    }
    voice = loudness.reference.flatMap {
      TapVoice(settings, reference: $0, rate: rate.hertz, hop: hop)
    }
    assembly = PatternAssembly(settings, patience: Self.patience, hop: hop)
    recorder = tracePoints.map { TraceRecorder(mostPoints: $0, hop: hop) }
    history = SoundHistory(rate: rate.hertz)
    mixer = Mixer(channelCount: channelCount)
    self.rate = rate.hertz
    self.analyzer = analyzer
    self.spectrum = spectrum
  }

  /// Takes interleaved samples of whole frames.
  public mutating func append(_ block: Span<Float>) {
    var mixed: [Float] = []
    mixed.reserveCapacity(block.count / mixer.channelCount)
    mixer.mix(block) { mixed.append($0) }
    frameCount += mixed.count
    add(mixed.span)
  }

  /// Ends the sound and gives what it was composed to.
  public consuming func finish() -> Composition {
    let tail = [Float](repeating: 0, count: Int(Self.tail * rate))
    add(tail.span)
    return Composition(
      pattern: assembly.finish(at: duration), duration: duration, faultCount: mixer.faultCount,
      trace: recorder?.trace)
  }

  /// The end of the sound as far as it has come.
  private var duration: Double { Double(frameCount) / rate }

  /// The end of the hops that are worked through.
  private var now: Double { Double(history.count) / rate }

  private mutating func add(_ samples: Span<Float>) {
    for index in samples.indices {
      hop.append(samples[index])
      guard hop.count == analyzer.length else { continue }
      // Taken out while it is worked through: exclusive access to the rest.
      var own: [Float] = []
      swap(&own, &hop)
      process(own.span)
      own.removeAll(keepingCapacity: true)
      swap(&own, &hop)
    }
  }

  private mutating func process(_ samples: Span<Float>) {
    let began = now
    let heard = analyzer.analyze(samples)
    history.append(heard, samples)
    if began < duration { recorder?.note(heard, at: began) }
    guard var chain = chain.take() else { return }
    defer { self.chain = chain }

    var isOnset = chain.isOnset(heard)
    if chain.needsSpectrum, history.hopCount.isMultiple(of: SpectralFlux.hops) {
      spectrum.read(history)
      isOnset = chain.read(spectrum) || isOnset
    }
    if let delay = chain.onsetDelay {
      if isOnset { onsets.append(now - delay) }
      // Before it is known whether it is the largest.
      note(Float(chain.rise), at: now - chain.riseDelay, of: \.rise)
    }
    placeTaps()
    if let delay = chain.layerDelay, let value = chain.value(for: heard), now - delay < duration {
      assembly.add(value, at: now - delay)
      note(Float(Intensity.of(level: value.level)), at: now - delay, of: \.intensity)
      note(Float(value.sharpness), at: now - delay, of: \.sharpness)
    }
  }

  /// Makes taps of the onsets of which enough is known.
  private mutating func placeTaps() {
    while let onset = onsets.first, now - onset > Self.listening {
      onsets.removeFirst()
      let time = max(0, OnsetLocator().locate(onset, in: history))
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
