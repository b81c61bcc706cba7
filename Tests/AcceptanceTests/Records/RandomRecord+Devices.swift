// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices

extension RandomRecord {
  /// What devices told of a take.
  mutating func device() -> RunRecord.TakeDevice {
    RunRecord.TakeDevice(
      frames: count(), driveFrames: count(), captureEvents: list(0...4) { $0.event() },
      driveEvents: list(0...4) { $0.event() }, expressible: maybe { $0.expressible() },
      fault: maybe { $0.text() })
  }

  /// How a stream went.
  mutating func stream() -> StreamStatistics {
    var stream = StreamStatistics()
    stream.negotiations = list(0...2) { $0.negotiation() }
    stream.start = start()
    stream.timestamps = flag() ? .kernel : .program(reason: text())
    stream.scheduling = maybe {
      $0.flag() ? .fifo(priority: $0.count() % 99) : .ordinary(reason: $0.text())
    }
    stream.memoryLock = maybe { $0.flag() ? .locked : .refused(reason: $0.text()) }
    stream.duration = size()
    stream.cpuShare = maybe { $0.size() }
    stream.jitter = maybe { $0.histogram() }
    stream.transfers = maybe {
      .init(output: $0.histogram(), input: $0.histogram(), pollingInterval: $0.size())
    }
    stream.statements = list(0...2) { $0.statement() }
    stream.xruns = count() % 200
    stream.restartUncertainty = maybe { $0.size() }
    stream.suspensions = count()
    stream.spuriousWakeups = count()
    stream.timeouts = count()
    stream.clippedSamples = count()
    stream.driveRate = maybe { $0.rate() }
    stream.captureRate = maybe { $0.rate() }
    return stream
  }

  private mutating func event() -> StreamEvent {
    StreamEvent(
      kind: pick(StreamEvent.Kind.allCases), frame: flag() ? count() : -count(), length: count(),
      channel: maybe { $0.text() })
  }

  private mutating func expressible() -> ExpressibleDrive {
    let frequencies: ExpressibleDrive.Frequencies =
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: .fixed(size() + 1)
      case 1: .grid(rising(from: Double.leastNonzeroMagnitude))
      default: .range(1...(1 + size()))
      }
    return ExpressibleDrive(
      frequencies: frequencies, amplitudes: [0] + rising(from: 1e-3), updateInterval: size() + 1e-3)
  }

  private mutating func rising(from lowest: Double) -> [Double] {
    list(0...5) { $0.size() }.filter { $0 > lowest }.reduce(into: [lowest]) { values, value in
      if value > values[values.count - 1] { values.append(value) }
    }
  }

  private mutating func negotiation() -> Negotiation {
    Negotiation(
      direction: text(), pcm: text(), cardName: text(), access: text(),
      format: pick(SampleFormat.allCases), channelCount: count(), rate: size(),
      periodFrames: count(), bufferFrames: count(), isConverted: flag(), timestampClock: text(),
      dump: text())
  }

  private mutating func start() -> StreamStatistics.Start {
    switch pick(StreamStatistics.Start.Kind.allCases) {
    case .lockStep: .lockStep
    case .linked: .linked
    case .unlinked: .unlinked(offset: number(), uncertainty: size(), reason: text())
    case .separate: .separate(reason: text())
    }
  }

  private mutating func histogram() -> JitterHistogram {
    JitterHistogram(
      counts: (0..<JitterHistogram.binCount).map { _ in flag() ? count() : 0 }, largest: size())
  }

  private mutating func statement() -> StreamStatistics.Statement {
    let volts = maybe { $0.size() }
    return StreamStatistics.Statement(
      device: text(), fullScaleVolts: volts, knowsFullScale: volts == nil || flag(),
      driveDelay: maybe { $0.size() }, sensorDelay: maybe { $0.size() },
      sensorRate: maybe { $0.size() })
  }

  private mutating func rate() -> StreamStatistics.ClockRate {
    StreamStatistics.ClockRate(ppm: number(), uncertainty: size(), pairCount: count())
  }

  /// Up to what a record may hold.
  private mutating func count() -> Int { Int.random(in: 0..<1 << 40, using: &generator) }

  /// Any finite number of any size that is not negative.
  private mutating func size() -> Double { abs(number()) }
}
