// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import HapticRendering

/// Prints every benchmark, or with the argument `archive`, `compose`, `detection` (of it `newest` or `peers` alone), `edit`, `joint`, `run`, `sweep`, `tap` or `usb` one
/// of them alone.
@main
enum Main {
  static func main() {
    switch CommandLine.arguments.dropFirst() {
    case ["archive"]: return ArchiveBenchmark().report()
    case ["compose"]: return ComposeBenchmark().report()
    case ["detection"]: return detection()
    case ["detection", "newest"]: return NewestNightsBenchmark().report()
    case ["detection", "peers"]: return DetectionPeersBenchmark(corpus: Corpus()).report()
    case ["edit"]: return EditBenchmark().report()
    case ["joint"]: return JointFitBenchmark(corpus: Corpus()).report()
    case ["run"]: return RunBenchmark(corpus: Corpus()).report()
    case ["sweep"]: return SweepBenchmark(corpus: Corpus()).report()
    case ["tap"]: return TapBenchmark().report()
    case ["usb"]: return USBBenchmark().report()
    default: break
    }
    // Work without a report, for whoever counts the instructions of this process.
    let words = Array(CommandLine.arguments.dropFirst())
    if words.count == 2, let count = Int(words[1]) {
      switch words[0] {
      case "usb-packets":
        _ = try? USBBenchmark.passPackets(count)
        return
      case "usb-frames":
        _ = try? USBBenchmark.playFrames(count)
        return
      default: break
      }
    }
    let corpus = Corpus()
    print("patterns: \(corpus.origin)\n")
    RunBenchmark(corpus: corpus).report()
    ReadingBenchmark(corpus: corpus).report()
    EditBenchmark().report()
    RenderingBenchmark(corpus: corpus).report()
    SimulationBenchmark().report()
    TapBenchmark().report()
    SweepBenchmark(corpus: corpus).report()
    JointFitBenchmark(corpus: corpus).report()
    USBBenchmark().report()
    ComposeBenchmark().report()
    ArchiveBenchmark().report()
    detection()
  }

  private static func detection() {
    DetectionBenchmark().report()
    NewestNightsBenchmark().report()
    DetectionPeersBenchmark(corpus: Corpus()).report()
  }
}

/// The shortest of several rounds, in seconds.
func best(of rounds: Int, _ body: () -> Void) -> Double {
  var shortest = Double.infinity
  let clock = ContinuousClock()
  for _ in 0..<rounds {
    shortest = min(shortest, clock.measure(body).inSeconds)
  }
  return shortest
}

extension Duration {
  /// The length in seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// A row of output: what, how much, and what it is held against.
func row(_ name: String, _ value: String, _ beside: String) {
  print(
    "  " + name.padding(toLength: 46, withPad: " ", startingAt: 0)
      + value.padding(toLength: 22, withPad: " ", startingAt: 0) + beside)
}
