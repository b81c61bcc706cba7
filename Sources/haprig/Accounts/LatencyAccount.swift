import Bench
import JSONText
import SignalAnalysis
import Units

/// A latency measurement as text and as JSON.
struct LatencyAccount {
  let rig: String
  let measured: LatencyMeasurement

  private func seconds(_ frames: Double) -> Double { measured.rate.seconds(frames) }

  private func time(_ frames: Double) -> String {
    EngineeringFormat.text(seconds(frames), .second)
  }

  /// What a person reads.
  var text: String {
    let delay = measured.delay
    let whole = delay.value.rounded(.down)
    let count = measured.streams.reduce(0) { $0 + $1.sweepCount }
    let streams = measured.streams.count
    let latency = EngineeringFormat.text(
      seconds(delay.value), .second, uncertainty: seconds(delay.uncertainty))
    let drift = EngineeringFormat.text(
      measured.drift.value, .partsPerMillion, uncertainty: measured.drift.uncertainty)
    var lines = [
      "\(rig): electrical loop, \(count) sweeps in \(streams) stream\(streams == 1 ? "" : "s")",
      "  latency           \(latency)",
      "                    \(Int(whole)) frames + \(EngineeringFormat.fixed(delay.value - whole, 4)) "
        + "at \(measured.rate)",
      "  within a stream   \(time(measured.withinSpread)) (one sigma of a sweep; the Cramer-Rao "
        + "bound is \(time(measured.cramerRaoBound)))",
    ]
    if let spread = measured.restartSpread {
      let values = measured.streams.map(\.delay.value)
      let range = (values.max() ?? 0) - (values.min() ?? 0)
      lines.append("  between restarts  \(time(spread)) (one sigma; range \(time(range)))")
    }
    lines.append("  drift             \(drift)")
    let rejected = measured.streams.flatMap(\.rejected)
    if !rejected.isEmpty {
      lines.append("  left out          \(rejected.count) sweeps, the first: \(rejected[0])")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What a program reads: seconds, frames and ppm.
  var json: JSONValue {
    var members = [
      JSONMember("rig", .string(rig)), JSONMember("rate", .number(measured.rate.hertz)),
      JSONMember(
        "latency",
        [
          "value": .number(seconds(measured.delay.value)), "unit": "s",
          "uncertainty": .number(seconds(measured.delay.uncertainty)),
          "frames": .number(measured.delay.value),
        ]),
      JSONMember(
        "drift",
        [
          "value": .number(measured.drift.value), "unit": "ppm",
          "uncertainty": .number(measured.drift.uncertainty),
        ]),
      JSONMember("withinStream", .number(seconds(measured.withinSpread))),
      JSONMember("cramerRaoBound", .number(seconds(measured.cramerRaoBound))),
      JSONMember("streams", .array(measured.streams.map(stream))),
    ]
    if let spread = measured.restartSpread {
      members.append(JSONMember("betweenRestarts", .number(seconds(spread))))
    }
    return .object(members)
  }

  private func stream(_ stream: LatencyStream) -> JSONValue {
    [
      "latency": .number(seconds(stream.delay.value)),
      "uncertainty": .number(seconds(stream.delay.uncertainty)),
      "drift": .number(stream.drift.value),
      "driftUncertainty": .number(stream.drift.uncertainty),
      "scatter": .number(seconds(stream.scatter)), "sweeps": .integer(stream.sweepCount),
      "signalToNoise": .number(stream.signalToNoise), "gain": .number(stream.gain),
      "rejected": .array(stream.rejected.map { .string($0) }),
    ]
  }
}
