import ArgumentParser
import Bench
import Devices
import JSONText
import Reporting
import RigDevices
import SignalAnalysis
import Units
import Workflows

struct LatencyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Measure the electrical delay from the reference output to the reference input.",
    discussion: """
      Wire the reference output to the reference input. Sweeps are played in several streams, the \
      devices started anew for each: the delay, its spread within a stream and between restarts, \
      and the drift of the two clocks. A number that cannot be trusted is not printed; the reason \
      is, and the exit code is 1.

      EXAMPLE
        haprig latency --rig rigs/simulated-lra.yaml --restarts 3
      """)

  @OptionGroup var rig: RigOptions

  @Option(help: "How often the devices are started anew.")
  var restarts = 5

  @Option(help: "The length of each stream in seconds.")
  var seconds = 10.0

  @Flag(help: "Print the measurement as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    guard (1...1000).contains(restarts) else {
      throw ValidationError("--restarts takes 1 to 1000, not \(restarts)")
    }
    guard (1.3...3600).contains(seconds) else {
      throw ValidationError("--seconds takes 1.3 to 3600, not \(seconds)")
    }
  }

  func run() async throws {
    let user = RigOperator.terminal()
    let line = ProgressLine(isQuiet: quiet)
    defer { line.clear() }
    let description = try rig.choice.readToPlay()
    let open = try OpenSession(description, without: "latency needs a rig that records", by: user)
    let measured: LatencyMeasurement
    do {
      measured = try await LatencyMeasurement.measure(
        LatencyPlan(restarts: restarts, duration: seconds), on: description,
        session: open.session
      ) { line.show("latency \(Int($0 * 100)) %") }
    } catch let refusal as LatencyRefusal {
      throw ExitStatus(.failed, "\(description.name): not measured: \(refusal)")
    }
    line.clear()
    Console.out(
      LatencyListing(rig: description.name, measured: measured), asJSON: json, sortedKeys: true)
    try open.finish()
  }
}

/// A latency measurement: for a program in seconds, frames and ppm.
private struct LatencyListing: Listing {
  let rig: String
  let measured: LatencyMeasurement

  private func seconds(_ frames: Double) -> Double { measured.rate.seconds(frames) }

  private func time(_ frames: Double) -> String {
    EngineeringFormat.text(seconds(frames), .second)
  }

  var text: String {
    let (delay, drift, streams) = (measured.delay, measured.drift, measured.streams)
    let whole = delay.value.rounded(.down)
    let sweeps = streams.reduce(0) { $0 + $1.sweepCount }
    let latency = EngineeringFormat.text(
      seconds(delay.value), .second, uncertainty: seconds(delay.uncertainty))
    let rest = EngineeringFormat.fixed(delay.value - whole, 4)
    var lines = [
      "\(rig): electrical loop, \(sweeps) sweeps in \(Count.of(streams.count, "stream"))",
      "  latency           \(latency)",
      "                    \(Int(whole)) frames + \(rest) at \(measured.rate)",
      "  within a stream   \(time(measured.withinSpread)) (one sigma of a sweep; the Cramer-Rao "
        + "bound is \(time(measured.cramerRaoBound)))",
    ]
    if let spread = measured.restartSpread {
      let values = streams.map(\.delay.value)
      let range = (values.max() ?? 0) - (values.min() ?? 0)
      lines.append("  between restarts  \(time(spread)) (one sigma; range \(time(range)))")
    }
    let clocks = EngineeringFormat.text(
      drift.value, .partsPerMillion, uncertainty: drift.uncertainty)
    lines.append("  drift             \(clocks)")
    let rejected = streams.flatMap(\.rejected)
    if !rejected.isEmpty {
      lines.append("  left out          \(rejected.count) sweeps, the first: \(rejected[0])")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  var json: JSONValue {
    .object(present: [
      "rig": .string(rig), "rate": .number(measured.rate.hertz),
      "latency": [
        "value": .number(seconds(measured.delay.value)), "unit": "s",
        "uncertainty": .number(seconds(measured.delay.uncertainty)),
        "frames": .number(measured.delay.value),
      ],
      "drift": [
        "value": .number(measured.drift.value), "unit": "ppm",
        "uncertainty": .number(measured.drift.uncertainty),
      ],
      "withinStream": .number(seconds(measured.withinSpread)),
      "cramerRaoBound": .number(seconds(measured.cramerRaoBound)),
      "streams": .array(measured.streams.map(stream)),
      "betweenRestarts": measured.restartSpread.map { .number(seconds($0)) },
    ])
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
