// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering

/// How late an engine is: what was asked against what its device was handed.
///
/// On a stepped clock all is exact. On the host's, `immediate` counts from the call to the moment at
/// which the sample of the play's first instant was handed to the device; what the device itself adds is
/// the bench's to measure (`haprig latency`).
public struct EngineLatency: Sendable, Equatable {
  /// From a start with `CHHapticTimeImmediate` to the first sample at the device, in seconds, each.
  public var immediate: [Double] = []
  /// The first sample's own time less what a scheduled start asked for, in seconds of the engine, each.
  public var scheduled: [Double] = []
  /// When the first sample was handed to the device less the time that was asked for, in seconds of the
  /// host's clock, each; empty on a stepped clock.
  public var handed: [Double] = []

  /// Makes a latency of no starts.
  public init() {}

  /// The value that a share 0...1 of some values do not exceed; `nil` without values.
  public static func quantile(_ share: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let ordered = values.sorted()
    let place = Int((share * Double(ordered.count - 1)).rounded())
    return ordered[min(max(place, 0), ordered.count - 1)]
  }

  func adding(_ other: EngineLatency) -> EngineLatency {
    var sum = self
    sum.immediate += other.immediate
    sum.scheduled += other.scheduled
    sum.handed += other.handed
    return sum
  }
}

/// What one player really played, put together from the notices of its stage: a pattern again.
///
/// Loops, rates, seeks and pauses are unrolled, and what was sent while it played stands beside the
/// pattern's own curves; times are those of the stream.
struct PlayedEvents {
  private struct Instance {
    let event: Int
    let start: Double
    let age: Double
    var end: Double?
  }

  private struct Line {
    let place: Int
    let start: Double
    let value: Double
    let slope: Double
  }

  let source: HapticPattern
  private var instances: [Instance] = []
  private var lines: [Line] = []

  init(source: HapticPattern) { self.source = source }

  var isEmpty: Bool { instances.isEmpty }

  mutating func take(_ notice: StageNotice) {
    switch notice.kind {
    case .began(let event, let age):
      instances.append(Instance(event: event, start: notice.time, age: age))
    case .left(let event):
      guard let index = instances.lastIndex(where: { $0.event == event && $0.end == nil }) else {
        return
      }
      instances[index].end = notice.time
    case .control(let place, let value, let slope):
      lines.append(Line(place: place, start: notice.time, value: value, slope: slope))
    default: return
    }
  }

  /// What was played until the stream's end as a pattern whose time 0 is a moment of the stream, not after
  /// the first event.
  func pattern(from origin: Double, end: Double) -> HapticPattern {
    var pattern = HapticPattern()
    for instance in instances where source.events.indices.contains(instance.event) {
      var event = source.events[instance.event]
      event.time = instance.start - origin
      event.order = pattern.events.count
      if event.kind != .hapticTransient, let end = instance.end {
        event.duration = max(1e-3, end - instance.start)
      } else if event.kind.isContinuous {
        event.duration = min(event.duration ?? 0, max(1e-3, end - instance.start))
      }
      // What was taken up on the way had risen before.
      if instance.age > 0 { event.parameters.attackTime = 0 }
      pattern.events.append(event)
    }
    let ids = DynamicParameterID.allCases
    for (place, id) in ids.enumerated() {
      let own = lines.filter { $0.place == place }
      for (index, line) in own.enumerated() {
        let until = index + 1 < own.count ? own[index + 1].start : end
        guard until > line.start || index + 1 == own.count else { continue }
        // What was in force before the first event counts from its beginning on.
        let start = max(0, line.start - origin)
        let value = limited(line, at: origin + start, id)
        let order = pattern.events.count + lines.count
        guard line.slope != 0, until - origin > start + 1e-3 else {
          if until - origin > start || index + 1 == own.count {
            pattern.parameters.append(
              DynamicParameter(id: id, time: start, value: value, order: order + index))
          }
          continue
        }
        let last = limited(line, at: until, id)
        pattern.curves.append(
          ParameterCurve(
            id: id, time: start,
            points: [
              .init(time: 0, value: value), .init(time: until - origin - start, value: last),
            ], order: order + index))
      }
    }
    return pattern
  }

  private func limited(_ line: Line, at time: Double, _ id: DynamicParameterID) -> Double {
    let value = line.value + line.slope * (time - line.start)
    return min(max(value, id.range.lowerBound), id.range.upperBound)
  }

  /// When the first event began, in seconds of the stream.
  var firstStart: Double? { instances.map(\.start).min() }
}
