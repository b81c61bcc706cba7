import DeviceStreams
import Devices

/// Gives each sample of a sensor its place on the sensor's own time: a whole number of its samples.
///
/// By the counter where the stream has one; else by its ticks, rounded to whole samples; else by counting,
/// where every damaged line or packet is taken for one sample that was lost.
struct SampleTimeline: Sendable {
  /// A sample and its place, from 0.
  struct Placed: Sendable, Equatable {
    var index: Int
    var values: [Double]
    /// When it was taken, in the host's nanoseconds, where the source says so.
    var time: UInt64?
  }

  /// What was lost and damaged so far.
  private(set) var tally: SensorTally
  private let sampleRate: Double
  private var counter: CounterUnwrapper?
  private var ticks: (rate: Double, unwrapper: CounterUnwrapper)?
  private var firstCount: Int64?
  private var latest: (index: Int, ticks: Int64)?
  private var damaged = 0

  /// Makes a timeline of a stream with these fields.
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

  /// Takes what was found in the stream; gives a sample that is to be used with its place.
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
