// SPDX-License-Identifier: Apache-2.0

package import AHAP
package import Acceptance
import Bench
package import Composing
package import JSONText
import Paths
import Reporting
import SignalAnalysis
import SoundFiles
import Units

/// How a composed pattern feels beside its sound, by a run that played both.
package struct ComposeScore: Sendable {
  /// When touch comes after its sound, in seconds: the mean of the events that have one, and how many they are.
  package let sync: (value: Double, count: Int)?
  /// Pearson's coefficient of the response's envelope and the sound's, in steps of 10 ms.
  package let envelope: Double?
  /// Onsets that are heard, by the method `onsets`, and taps that were felt: how many, and how many are both.
  package let heard: Int
  package let felt: Int
  package let both: Int
  /// The median time from an onset that is heard to the tap that is felt, in seconds.
  package let delay: Double?

  /// As far as two onsets may be apart and be one: the smallest offset of touch and sound that people notice.
  private static let window = 0.024
  /// Envelopes are compared in steps of so many seconds.
  private static let step = 0.01

  /// Scores a sound that was composed and played: `heard` is it composed by `onsets`, with its trace, and
  /// `folder` the run's.
  package init(
    _ pattern: HapticPattern, heard: Composition, record: RunRecord, folder: String
  ) throws {
    let readings = record.readings.filter { $0.take == nil || $0.take == 1 }
    func values(_ kind: ReadingKind) -> [(event: Int?, value: Double)] {
      readings.filter { $0.name.kind == kind }.compactMap { reading in
        reading.value.map { (reading.event, $0) }
      }
    }
    let offsets = values(.syncAudioHaptic)
    sync =
      offsets.isEmpty
      ? nil : (offsets.reduce(0) { $0 + $1.value } / Double(offsets.count), offsets.count)
    // A tap is felt where its onset was measured.
    let onsets = Dictionary(
      values(.latencyOnset).compactMap { entry in entry.event.map { ($0, entry.value) } },
      uniquingKeysWith: { first, _ in first })
    let times = pattern.eventsByTime.enumerated().compactMap { index, event in
      event.kind == .hapticTransient ? onsets[index].map { event.time + $0 } : nil
    }.sorted()
    let sounds = heard.pattern.events.filter { $0.kind == .hapticTransient }.map(\.time).sorted()
    let delays = Self.matched(sounds, times)
    self.heard = sounds.count
    felt = times.count
    both = delays.count
    delay = delays.isEmpty ? nil : Statistics.median(delays)
    let electrical = values(.latencyElectrical).first?.value ?? 0
    envelope = try Self.correlation(heard, record, folder: folder, delay: electrical)
  }

  /// The delays of those that lie within the window of each other, each once.
  private static func matched(_ sounds: [Double], _ taps: [Double]) -> [Double] {
    var delays: [Double] = []
    var next = 0
    for sound in sounds {
      while next < taps.count, taps[next] < sound - window { next += 1 }
      guard next < taps.count, taps[next] <= sound + window else { continue }
      delays.append(taps[next] - sound)
      next += 1
    }
    return delays
  }

  private static func correlation(
    _ heard: Composition, _ record: RunRecord, folder: String, delay: Double
  ) throws -> Double? {
    guard let trace = heard.trace, let take = record.patterns.first?.takes.first,
      let file = take.response,
      let place = take.responseChannels.firstIndex(where: { $0.unit == .metrePerSecondSquared })
    else { return nil }
    let count = Int(heard.duration / step)
    let start = Double(take.patternFrame) / record.rig.rate + delay
    var sums = [Double](repeating: 0, count: count)
    var squares = sums
    var frames = sums
    var frame = 0
    _ = try SoundFile.scan(path: FilePath.join(folder, file)) { block, shape in
      for row in 0..<(block.count / shape.channelCount) {
        let bin = ((Double(frame + row) / shape.rate.hertz - start) / step).rounded(.down)
        guard bin >= 0, bin < Double(count) else { continue }
        let sample = Double(block[row * shape.channelCount + place])
        sums[Int(bin)] += sample
        squares[Int(bin)] += sample * sample
        frames[Int(bin)] += 1
      }
      frame += block.count / shape.channelCount
    }
    // What the sensor stands at, gravity above all, is no motion.
    let mean = sums.reduce(0, +) / max(1, frames.reduce(0, +))
    let motion = zip(zip(sums, squares), frames).map { pair, count in
      let power = count > 0 ? pair.1 / count - 2 * mean * pair.0 / count + mean * mean : 0
      return max(0, power).squareRoot()
    }
    let sound = (0..<count).map { bin -> Double in
      let from = Int(Double(bin) * step / trace.step)
      let to = max(from + 1, Int(Double(bin + 1) * step / trace.step))
      let levels = trace.level[min(from, trace.level.count)..<min(to, trace.level.count)]
      return levels.isEmpty
        ? 0 : levels.reduce(0) { $0 + Decibels.amplitude(Double($1)) } / Double(levels.count)
    }
    return Correlation.pearson(motion.span, sound.span)
  }

  /// Lines for a terminal.
  package var text: String {
    let offset = sync.map {
      EngineeringFormat.text(abs($0.value), .second)
        + " \($0.value < 0 ? "before" : "after") the sound, by \(Count.of($0.count, "event"))"
    }
    let like = envelope.map { EngineeringFormat.fixed($0, 3) }
    let late = delay.map { ", \(EngineeringFormat.text($0, .second)) after them in the median" }
    return """
        touch: \(offset ?? "no event has a sound of its own to be measured against")
        envelope: \(like.map { "correlates with the sound's by \($0)" } ?? "not measured")
        onsets: \(heard) heard, \(felt) felt, \(both) both\(late ?? "")

      """
  }

  package var json: JSONValue {
    .object(of: [
      "sync": sync?.value, "syncCount": sync?.count, "envelope": envelope, "heard": heard,
      "felt": felt, "both": both, "delay": delay,
    ])
  }
}
