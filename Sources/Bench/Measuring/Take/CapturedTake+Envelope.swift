import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// Envelope against intent, and energy where nothing was asked for.
extension CapturedTake {
  /// The step of the power profile, in seconds.
  private static let step = 1e-3
  /// The length of the power average, in seconds: a period of the lowest tone that intent asks for.
  private static let average = 12e-3

  func addEnvelope(to list: inout ReadingList) {
    guard hasHaptics else { return }
    if let share = take.gamutOutside { list.add(.gamutOutside, share) }
    do throws(NoProfile) {
      let profile = try powerProfile()
      addCorrelation(profile, to: &list)
      addEnergyOutside(profile, to: &list)
    } catch {
      for kind: ReadingKind in [.envelopeCorrelation, .energyOutside] {
        list.addMissing(kind, channel: sensor, because: error.reason)
      }
    }
  }

  private struct NoProfile: Error {
    let reason: String
  }

  /// Mean power of the response in steps of 1 ms from the pattern's start, delay removed, noise in it.
  private func powerProfile() throws(NoProfile) -> [Double] {
    guard let response, let noise, let delay = alignment.responseFrames(at: frame(0)) else {
      throw NoProfile(reason: "the delay from command to response is not known")
    }
    if let reason = alignment.missingFit { throw NoProfile(reason: reason) }
    let rate = take.rate.hertz
    let count = Int((take.intent.timeline.end + 0.2) / Self.step)
    let first = frame(0) + delay
    let last = Int(first + Double(count) * Self.step * rate)
    guard last < response.samples.count else {
      throw NoProfile(reason: "the recording ends before the pattern does")
    }
    guard !recording.touches(Int(first)..<last, delay: delay) else {
      throw NoProfile(reason: "a gap, an xrun or an overload lies in the pattern")
    }
    var reader = SampleReader(response.samples)
    return (0..<count).map { column in
      let from = Int(first + Double(column) * Self.step * rate)
      let until = Int(first + Double(column + 1) * Self.step * rate)
      return reader.power(of: from..<until, about: noise.offset.value)
    }
  }

  private func addCorrelation(_ profile: [Double], to list: inout ReadingList) {
    let asked =
      expressed?.acceleration(target, step: Self.step, count: profile.count)
      ?? take.intent.acceleration(target, from: 0, step: Self.step, count: profile.count)
    let width = Int(Self.average / Self.step)
    let intended = Smoothing.mean(asked.map { $0 * $0 / 2 }, width: width).map { $0.squareRoot() }
    let measured = Smoothing.mean(profile, width: width).map { $0.squareRoot() }
    // What is left of the mean latency is the rise: the lag at which both agree best.
    var best: Double?
    for lag in 0...40 where measured.count > lag + 20 {
      guard
        let value = Correlation.pearson(
          intended.span.extracting(droppingLast: lag), measured.span.extracting(droppingFirst: lag))
      else { continue }
      best = max(best ?? -1, value)
    }
    guard let best else {
      list.addMissing(
        .envelopeCorrelation, channel: sensor,
        because: "the intent's envelope does not change, so nothing can correlate with it")
      return
    }
    // Neighbouring steps share their average: one independent sample a width.
    let independent = max(4, profile.count / width)
    list.add(
      .envelopeCorrelation, best,
      uncertainty: (1 - best * best) / Double(independent - 3).squareRoot(), count: independent,
      channel: sensor)
  }

  private func addEnergyOutside(_ profile: [Double], to list: inout ReadingList) {
    guard let noise else { return }
    var isInside = [Bool](repeating: false, count: profile.count)
    for event in take.intent.timeline.events where event.kind.isHaptic {
      // A drive of commands begins with an interval, and ends with one.
      let held = expressed?.held(event, target)
      let start = min(event.start, held?.start ?? event.start)
      let end = max(event.end, held?.end ?? event.end)
      let first = max(0, Int(start / Self.step))
      let last = min(profile.count, Int((end + isolation.margin) / Self.step) + 1)
      for column in first..<max(first, last) { isInside[column] = true }
    }
    let floor = noise.sigma.value * noise.sigma.value
    let inside = profile.indices.filter { isInside[$0] }.reduce(0) { $0 + profile[$1] - floor }
    let columns = profile.indices.filter { !isInside[$0] }
    // The energy of white noise scatters by sqrt(2 / n) of itself.
    func scatter(_ columns: Int) -> Double {
      let samples = Double(columns) * Self.step * take.rate.hertz
      return samples > 0 ? Double(columns) * floor * (2 / samples).squareRoot() : 0
    }
    guard columns.count >= 20, inside > 4 * scatter(profile.count - columns.count) else {
      list.addMissing(
        .energyOutside, channel: sensor,
        because: columns.count < 20
          ? "events fill the pattern: nothing is outside" : "the response is below the noise")
      return
    }
    let outside = columns.reduce(0) { $0 + profile[$1] - floor }
    let doubt = scatter(columns.count)
    let isBelow = outside < 2 * doubt
    let energy = isBelow ? 2 * doubt : outside
    list.add(
      .energyOutside, Decibels.of(power: energy / inside),
      uncertainty: isBelow ? nil : 10 / log(10) * doubt / energy, count: columns.count,
      channel: sensor, note: isBelow ? "at most: the energy outside is below the noise" : nil)
  }
}
