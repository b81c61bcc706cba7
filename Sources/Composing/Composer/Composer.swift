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
  private var ear: Ear
  private var maker: HopComposer
  /// The beginning of a hop that a block has ended in.
  private var begun: [Float] = []
  private let rate: Double

  /// The rates that sounds are composed at.
  public static let rates = 8_000.0...192_000.0

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
    ear = Ear(for: [settings.method], reference: loudness.reference, rate: rate.hertz)
    maker = HopComposer(
      settings, ear.hearing, reference: loudness.reference, rate: rate.hertz,
      tracePoints: tracePoints)
    mixer = Mixer(channelCount: channelCount)
    self.rate = rate.hertz
  }

  /// Takes interleaved samples of whole frames.
  public mutating func append(_ block: Span<Float>) {
    let mixed = mixer.mix(block)
    maker.frameCount += mixed.count
    add(mixed.span)
  }

  /// Ends the sound and gives what it was composed to.
  public consuming func finish() -> Composition {
    let tail = [Float](repeating: 0, count: Int(HopComposer.tail * rate))
    add(tail.span)
    return maker.finish(faultCount: mixer.faultCount)
  }

  private mutating func add(_ samples: Span<Float>) {
    let length = ear.hearing.hopLength
    var first = 0
    while first < samples.count {
      let count = min(length - begun.count, samples.count - first)
      let part = samples.extracting(first..<(first + count))
      first += count
      if count == length {
        maker.take(ear.hear(part), part)
        continue
      }
      for index in part.indices { begun.append(part[index]) }
      guard begun.count == length else { continue }
      // Taken out while it is worked through: exclusive access to the rest.
      var own: [Float] = []
      swap(&own, &begun)
      maker.take(ear.hear(own.span), own.span)
      own.removeAll(keepingCapacity: true)
      swap(&own, &begun)
    }
  }
}
