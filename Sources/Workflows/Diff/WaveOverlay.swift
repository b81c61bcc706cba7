// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Reporting
import SignalAnalysis
import SoundFiles
import Units

/// The takes of one pattern on one time axis, each laid by its own measured delays.
///
/// A take's commanded time t is the drive frame f = patternFrame + t R; its capture frame is
/// f + (delay + transport) R + drift f, by the readings of that very take. Between frames a windowed sinc tells the
/// value. What is compared lies in the felt band, 20 to 1000 Hz, as the readings' levels do.
struct WaveOverlay {
  private static let band = 20.0...1000
  /// More than this of a pattern is not drawn, in seconds.
  private static let longest = 300.0

  private let takes: [OverlaidTake]
  private let pattern: String
  private let labels: [String]
  private let span: ClosedRange<Double>
  private let rate: SampleRate
  private let isWithoutTransport: Bool

  init(_ sides: [ComparedSide], pattern: String, labels: [String]) throws {
    self.pattern = pattern
    self.labels = labels
    takes = try sides.enumerated().map { index, side in
      try OverlaidTake(side, number: index, pattern: pattern)
    }
    let end = min(Self.longest, takes.map(\.duration).max() ?? 0)
    span = -0.05 * max(0.4, end)...(end + max(0.1, 0.08 * end))
    rate = takes.map(\.response.rate).max { $0.hertz < $1.hertz } ?? .standard
    isWithoutTransport = takes.allSatisfy { $0.transport != nil }
  }

  private struct Waves {
    let response: [Double]
    let envelope: [Double]
    let drive: [Double]?
  }

  func overlay() throws -> DiffReport.Overlay {
    let count = rate.wholeFrames(span.upperBound - span.lowerBound)
    let waves = takes.map { self.waves(of: $0, count: count) }
    let columns = min(2400, max(900, Int((span.upperBound - span.lowerBound) / 5e-4)))
    let unit = takes[0].response.unit
    func panel(_ title: String, _ unit: MeasurementUnit, _ traces: [(Int, [Double])], curve: Bool)
      -> TakeFigure.Panel
    {
      TakeFigure.Panel(
        title: title, unit: unit,
        traces: traces.map { index, values in
          Self.trace(name(index), values, columns, isCurve: curve)
        })
    }
    let rests = waves.indices.dropFirst().map { index in
      TakeFigure.Panel(
        title: "\(labels[index]) less \(labels[0])", unit: unit,
        traces: [
          Self.trace(
            name(index), zip(waves[index].response, waves[0].response).map { $0 - $1 }, columns)
        ],
        leastReach: 0.2 * (waves[0].response.map(abs).max() ?? 0))
    }
    var panels = [
      panel("Envelope", unit, waves.enumerated().map { ($0, $1.envelope) }, curve: true),
      panel("Response", unit, waves.enumerated().map { ($0, $1.response) }, curve: false),
    ]
    panels += rests
    let drives = waves.enumerated().compactMap { index, waves in waves.drive.map { (index, $0) } }
    if !drives.isEmpty { panels.append(panel("Drive", .volt, drives, curve: false)) }
    let events = takes[0].timeline.enumerated().map { index, event in
      TakeFigure.Event(
        index: index, kind: event.kind, span: event.start...event.start, onset: nil)
    }
    return DiffReport.Overlay(
      pattern: pattern,
      takes: takes.map {
        .init(
          side: $0.side, run: $0.run, number: $0.number, electrical: $0.electrical, drift: $0.drift,
          transport: $0.transport)
      },
      isWithoutTransport: isWithoutTransport,
      figure: TakeFigure(
        pattern: pattern, take: takes[0].number, span: span, panels: panels, events: events),
      residuals: waves.indices.dropFirst().map { residual(waves[$0], waves[0], side: $0) })
  }

  private func name(_ index: Int) -> String { labels[index] }

  private func waves(of take: OverlaidTake, count: Int) -> Waves {
    let transport = isWithoutTransport ? take.transport ?? 0 : 0
    let samples = take.resampled(
      take.response, from: span.lowerBound, rate: rate, count: count,
      delay: (take.electrical ?? 0) + transport, drift: 1e-6 * take.drift)
    let drive = take.drive.map {
      take.resampled($0, from: span.lowerBound, rate: rate, count: count, delay: 0, drift: 0)
        .map { Double($0) * take.fullScaleVolts }
    }
    let filter = BandPass(Self.band)
    return Waves(
      response: filter.apply(to: samples, rate: rate),
      envelope: Envelope.hilbert(samples, rate: rate, band: Self.band), drive: drive)
  }

  private func residual(_ other: Waves, _ first: Waves, side: Int)
    -> DiffReport.Overlay.Residual
  {
    func level(_ values: [Double], over base: [Double]) -> Double? {
      let (own, whole) = (Self.power(values), Self.power(base))
      guard whole > 0 else { return own == 0 ? -.infinity : nil }
      return own > 0 ? Decibels.of(power: own / whole) : -.infinity
    }
    func less(_ one: [Double], _ other: [Double]) -> [Double] {
      zip(one, other).map { $0 - $1 }
    }
    let rest = less(other.response, first.response)
    // Before the pattern nothing is driven: the first four fifths of what is drawn of it.
    let quiet = rate.wholeFrames(-0.8 * span.lowerBound)
    let whole = Self.power(first.response)
    let noise = Self.power(Array(rest.prefix(quiet)))
    let drive: Double? =
      if let one = first.drive, let two = other.drive { level(less(two, one), over: one) } else {
        nil
      }
    return DiffReport.Overlay.Residual(
      side: side, response: level(rest, over: first.response) ?? .nan,
      noise: noise > 0 && whole > 0 ? Decibels.of(power: noise / whole) : nil,
      level: level(other.response, over: first.response) ?? .nan, drive: drive)
  }

  private static func power(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
  }

  /// The lowest and highest value of each column; of a curve its mean.
  private static func trace(
    _ name: String, _ values: [Double], _ columns: Int, isCurve: Bool = false
  ) -> TakeFigure.Trace {
    var lowest = [Float](repeating: .nan, count: columns)
    var highest = lowest
    for column in 0..<columns {
      let first = column * values.count / columns
      let stretch = values[
        first..<min(values.count, max(first + 1, (column + 1) * values.count / columns))]
      guard let low = stretch.min(), let high = stretch.max() else { continue }
      let mean = Float(stretch.reduce(0, +) / Double(stretch.count))
      lowest[column] = isCurve ? mean : Float(low)
      highest[column] = isCurve ? mean : Float(high)
    }
    return TakeFigure.Trace(name: name, lowest: lowest, highest: highest)
  }
}

/// One take with its recordings and the delays that were measured of it.
private struct OverlaidTake {
  let side: Int
  let run: String
  let number: Int
  let duration: Double
  let timeline: [RunRecord.Event]
  let electrical: Double?
  let drift: Double
  let transport: Double?
  let fullScaleVolts: Double
  let response: Signal
  let drive: Signal?
  private let patternFrame: Int
  private let driveRate: SampleRate

  init(_ side: ComparedSide, number: Int, pattern name: String) throws {
    let run = side.latest
    let record = run.record
    guard let pattern = record.patterns.first(where: { $0.name == name }),
      let take = pattern.takes.first(where: { (side.take ?? $0.number) == $0.number })
    else { throw InputError("\(run.id) has no take of '\(name)'") }
    guard let file = take.response, record.rig.rate > 0 else {
      throw InputError("\(run.id) kept no recordings")
    }
    guard let place = take.responseChannels.firstIndex(where: { $0.unit == .metrePerSecondSquared })
    else { throw InputError("\(run.id) recorded no acceleration") }
    func reading(_ kind: ReadingKind) -> Double? {
      record.readings.first {
        $0.name == ReadingName(kind) && $0.pattern == name && $0.take == take.number
      }?.value
    }
    self.side = number
    self.run = run.id
    self.number = take.number
    duration = pattern.duration
    timeline = pattern.timeline
    electrical = reading(.latencyElectrical)
    drift = reading(.drift) ?? 0
    transport = reading(.latencyTransport)
    fullScaleVolts = record.rig.fullScaleVolts
    patternFrame = take.patternFrame
    driveRate = SampleRate(hertz: record.rig.rate)
    response = try Self.sound(
      file, in: run, channel: place, of: take.responseChannels, unit: .metrePerSecondSquared)
    let haptic = take.driveChannels.firstIndex { $0.name == "haptic" }
    drive = try haptic.flatMap { place in
      try take.drive.map {
        try Self.sound($0, in: run, channel: place, of: take.driveChannels, unit: .one)
      }
    }
  }

  private static func sound(
    _ file: String, in run: ComparedRun, channel: Int, of channels: [RunRecord.FileChannel],
    unit: MeasurementUnit
  ) throws -> Signal {
    let path = run.folder + "/" + file
    let recording: RegularFile
    do {
      recording = try RegularFile(path: path)
    } catch {
      throw InputError("the recordings of \(run.id) are gone: \(error)")
    }
    guard recording.lies(below: run.folder) else {
      throw InputError("\(path): the record names a file outside of its run's folder")
    }
    let sound: RecordedSound
    do {
      sound = try RecordedSound(
        descriptor: recording.descriptor, name: path, channels: channels, limit: .wholeRecording)
    } catch {
      throw InputError("\(error)")
    }
    let samples = sound.channels[channel]
    // Gravity, and what a converter is off by.
    let mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    return Signal(
      samples: samples.map { $0 - Float(mean) }, rate: sound.info.rate, unit: unit)
  }

  /// The value at equal steps of the pattern's time.
  func resampled(
    _ signal: Signal, from start: Double, rate: SampleRate, count: Int, delay: Double, drift: Double
  ) -> [Float] {
    let frame = Double(patternFrame) + start * driveRate.hertz
    let first = (frame * (1 + drift) / driveRate.hertz + delay) * signal.rate.hertz
    let step = signal.rate.hertz / rate.hertz * (1 + drift)
    // Only what is drawn, with room for the kernel.
    let room = 64
    let from = min(signal.samples.count, max(0, Int(first) - room))
    let until = min(
      signal.samples.count, max(from, Int(first + step * Double(count)) + room))
    let part = signal.samples[from..<until].map(Double.init)
    return TimeStretch.apply(
      part, offset: -(first - Double(from)) / step, stretch: 1 / step, count: count
    ).map { Float($0) }
  }
}
