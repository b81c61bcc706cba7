import ArgumentParser
import Bench
import Devices
import JSONText
import RigDevices
import SignalAnalysis
import Units
import Workflows

/// Measures the electrical loop of a rig.
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

  @Option(name: .long, help: "How often the devices are started anew.")
  var restarts = 5

  @Option(name: .long, help: "The length of each stream in seconds.")
  var seconds = 10.0

  @Flag(name: .long, help: "Print the measurement as JSON.")
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
    do {
      let description = try rig.choice.readToPlay()
      let open = try OpenSession(
        description, without: "latency needs a rig that records", by: user)
      let measured: LatencyMeasurement
      do {
        measured = try await LatencyMeasurement.measure(
          LatencyPlan(restarts: restarts, duration: seconds), on: description,
          session: open.session
        ) { line.show("latency \(Int($0 * 100)) %") }
      } catch let refusal as LatencyRefusal {
        throw ExitStatus(ExitStatus.failed, "haprig: \(description.name): not measured: \(refusal)")
      }
      line.clear()
      let account = LatencyAccount(rig: description.name, measured: measured)
      Console.out(json ? account.json.text(indent: 1, sortedKeys: true) + "\n" : account.text)
      try open.finish()
    } catch {
      throw ExitStatus.status(of: error)
    }
  }
}
