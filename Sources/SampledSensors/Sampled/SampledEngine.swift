// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Units

/// Where a sensor's own samples come from: a serial port, a buffer of the kernel.
protocol SampleSource: AnyObject, Sendable {
  /// Whether the source is its own time, which goes on as it is read; else a thread listens to it.
  var isVirtual: Bool { get }
  /// The host's raw monotonic clock, or a virtual source's own, in nanoseconds.
  var now: UInt64 { get }

  /// What of it waits from before is thrown away; the next sample is a fresh one.
  func restart() throws(DeviceError)

  /// No more samples are wanted until `restart`; any thread, and it may be called again.
  func stop()

  /// Waits at most so long and gives what was found; one thread at a time.
  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent]
}

extension SampleSource {
  var isVirtual: Bool { false }

  var now: UInt64 { hostNanoseconds() }

  /// Nothing: most sensors send whether anybody listens or not.
  func stop() {}
}

struct SampledSetup: Sendable {
  let rig: String
  let sensor: String
  /// Samples a second by the sensor's own clock.
  let sampleRate: Double
  let frameRate: SampleRate
  let fields: [SensorField]
  /// By channel of the port the axis that it takes.
  let axes: [Int]
  /// By channel, SI units of the number that the codec gives.
  let scales: [Double]
  /// Seconds without a sample before the sensor is given up.
  let timeout: Double
  var advice = SampledAdvice.serial
}

/// What a person can do where a kind of sensor fails, as the end of a sentence.
struct SampledAdvice: Sendable {
  let silence: String
  let jump: String

  static let serial = SampledAdvice(
    silence: "check that its program runs and sends by itself, and plug it in again",
    jump: "it was started anew, or 'columns' or 'packets' name another number as counter or ticks")
  static let iio = SampledAdvice(
    silence: "its trigger does not fire: check 'trigger', and the sensor's interrupt line",
    jump: "the computer slept, or the time stamps' clock was set")
}

extension SampledSetup {
  func awaitSample(of source: any SampleSource) throws(DeviceError) {
    var engine = SampledEngine(self, at: source.now)
    while engine.timeline.tally.sampleCount == 0 {
      try engine.take(source.read(milliseconds: 20), at: source.now)
    }
  }
}

/// Makes capture frames of a sensor's samples: its own time, laid once on the drive's.
///
/// A pure value of events and host times. Samples keep the sensor's own clock, whose rate against the host's is
/// observed; frame 0 is laid where the drive's frame 0 was by the host's clock, and the sample that came
/// with the least delay so far tells when the sensor's sample 0 was. What was lost stands as zeros and is told.
struct SampledEngine: Sendable {
  /// Where more than this is lost in one piece the stream is another one, in seconds.
  private static let longestGap = 5.0
  /// Samples before the drive's start that are kept, in seconds.
  private static let history = 2.0
  /// A clock that is off by more than this for certain is a wrong rate in the rig file, in ppm.
  private static let largestDrift = 2000.0
  /// Looks at the clock before anything is said of it.
  private static let leastObservations = 20

  let setup: SampledSetup
  private(set) var timeline: SampleTimeline
  private var grid: HoledGrid
  private var model: DeviceClockModel
  private var arrivals: EarliestArrival
  /// The host's time of sample 0 at the latest, in seconds.
  private var zero = Double.infinity
  private var isLaid = false
  private var lastSample: UInt64

  init(_ setup: SampledSetup, at nanoseconds: UInt64) {
    self.setup = setup
    timeline = SampleTimeline(setup.fields, sampleRate: setup.sampleRate)
    grid = HoledGrid(
      sampleRate: setup.sampleRate, frameRate: setup.frameRate.hertz,
      channelCount: setup.axes.count)
    model = DeviceClockModel(tickRate: setup.sampleRate)
    // Programs that empty a sensor's memory now and then send in bursts: one sample of each tenth of a second
    // came without waiting.
    arrivals = EarliestArrival(
      blockSize: max(16, Int(setup.sampleRate / 10)), tickRate: setup.sampleRate)
    lastSample = nanoseconds
  }

  /// Takes what came at a host time; throws where nothing usable came for the setup's timeout, and where it jumps.
  mutating func take(_ events: [SensorEvent], at nanoseconds: UInt64) throws(DeviceError) {
    for event in events {
      guard let sample = timeline.note(event) else { continue }
      lastSample = nanoseconds
      try place(sample)
      // The kernel's own stamp knows nothing of how late the reader was.
      let completed = Double(sample.time ?? nanoseconds) * 1e-9
      zero = min(zero, completed - Double(sample.index) / setup.sampleRate)
      if let early = arrivals.note(ticks: Int64(sample.index), completed: completed) {
        // Sensors on USB-CDC wait for a frame of the bus at the most, the kernel's stamps for less.
        model.note(
          .report(completed: early.completed, ticks: early.ticks, polling: .bulk(.full)))
      }
    }
    if !isLaid { grid.keep(Int(Self.history * setup.sampleRate)) }
    guard nanoseconds > lastSample + UInt64(setup.timeout * 1e9) else { return }
    throw DeviceError(.stalled, device: setup.rig, message: silence)
  }

  /// Lays frame 0 at a host time: where the drive's frame 0 was.
  mutating func lay(at nanoseconds: UInt64) {
    guard !isLaid, zero.isFinite else { return }
    isLaid = true
    grid.start(at: (Double(nanoseconds) * 1e-9 - zero) * setup.sampleRate)
  }

  mutating func frames(limit: Int) -> [Float] { isLaid ? grid.frames(limit: limit) : [] }

  mutating func takeDrops() -> [StreamEvent] { grid.takeDrops() }

  /// The sensor's clock against the host's; `nil` before it is known, and where no steady clock fits.
  var rate: StreamStatistics.ClockRate? {
    model.breakCount == 0 && model.observationCount >= Self.leastObservations ? model.rate : nil
  }

  /// Why the observed rate is not the expected one, where that is certain.
  var rateFault: DeviceError? {
    guard let rate, abs(rate.ppm) - 3.squareRoot() * rate.uncertainty > Self.largestDrift else {
      return nil
    }
    let observed = setup.sampleRate * (1 + rate.ppm * 1e-6)
    let text = String(Double((observed * 100).rounded() / 100))
    return DeviceError(
      .refused, device: setup.rig,
      message:
        "\(setup.sensor) gives \(text) samples a second by this computer's clock instead of "
        + "\(setup.sampleRate): write 'sample-rate: \(text) Hz' in the rig file")
  }

  private mutating func place(_ sample: SampleTimeline.Placed) throws(DeviceError) {
    let values = zip(setup.axes, setup.scales).map { sample.values[$0] * $1 }
    let missing = grid.end.map { sample.index - $0 } ?? 0
    guard Double(missing) <= Self.longestGap * setup.sampleRate else {
      throw DeviceError(
        .garbled, device: setup.rig,
        message:
          "the stream of \(setup.sensor) jumps by \(missing) samples: \(setup.advice.jump)")
    }
    grid.append(values, index: sample.index)
  }

  private var silence: String {
    let tally = timeline.tally
    guard tally.damagedCount + tally.skippedByteCount + tally.sampleCount > 0 else {
      return
        "nothing came from \(setup.sensor) for \(setup.timeout) s: \(setup.advice.silence)"
    }
    guard tally.sampleCount == 0 else {
      return "no sample came from \(setup.sensor) for \(setup.timeout) s, after "
        + "\(tally.sampleCount): \(setup.advice.silence)"
    }
    return "what comes from \(setup.sensor) holds no sample (\(tally.damagedCount) damaged, "
      + "\(tally.skippedByteCount) bytes passed over): check 'baud', and 'columns' or 'packets'"
  }
}

/// Gives each sample of a sensor its place on the sensor's own time: a whole number of its samples.
///
/// By the counter where the stream has one; else by its ticks, rounded to whole samples; else by counting,
/// where every damaged line or packet is taken for one sample that was lost.
struct SampleTimeline: Sendable {
  struct Placed: Sendable, Equatable {
    var index: Int
    var values: [Double]
    /// When it was taken, in the host's nanoseconds, where the source says so.
    var time: UInt64?
  }

  private(set) var tally: SensorTally
  private let sampleRate: Double
  private var counter: CounterUnwrapper?
  private var ticks: (rate: Double, unwrapper: CounterUnwrapper)?
  private var firstCount: Int64?
  private var latest: (index: Int, ticks: Int64)?
  private var damaged = 0

  init(_ fields: [SensorField], sampleRate: Double) {
    self.sampleRate = sampleRate
    var counterBits: Int?
    for field in fields {
      if case .counter(let bits) = field { counterBits = bits }
      if case .ticks(let rate, let bits) = field { ticks = (rate, CounterUnwrapper(bits: bits)) }
    }
    counter = counterBits.map { CounterUnwrapper(bits: $0) }
    tally = SensorTally(counterBits: counterBits)
  }

  mutating func note(_ event: SensorEvent) -> Placed? {
    if case .damaged = event { damaged += 1 }
    guard let sample = tally.note(event) else { return nil }
    defer { damaged = 0 }
    let index: Int
    let now = sample.ticks.flatMap { ticks?.unwrapper.unwrap($0) } ?? 0
    if let count = sample.counter.flatMap({ counter?.unwrap($0) }) {
      let first = firstCount ?? count
      firstCount = first
      index = Int(count - first)
    } else if let ticks, let latest {
      let steps = (Double(now - latest.ticks) / ticks.rate * sampleRate).rounded()
      // The sensor's clock may stand still between two samples that came at once.
      index = latest.index + max(1, steps < 1e9 ? Int(steps) : 1_000_000_000)
    } else {
      index = (latest?.index ?? -1 - damaged) + 1 + damaged
    }
    guard index > (latest?.index ?? -1) else { return nil }
    latest = (index, now)
    return Placed(index: index, values: sample.acceleration, time: sample.time)
  }
}
