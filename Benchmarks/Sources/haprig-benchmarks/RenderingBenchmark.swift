import AHAP
import Foundation
import HapticRendering

/// How much faster than real time the mono drive renders.
struct RenderingBenchmark {
  let corpus: Corpus
  private let block = 256

  func report() {
    print("rendering, mono drive, 48 kHz, blocks of \(block)")
    measure("149 taps in 3 s (Gravel)", pattern(corpus.gravel), aim: 5_000)
    measure("8 vibrations at once, both controls moving", eightVibrations, aim: 1_000)
    measure("thousands of events", pattern(corpus.large), aim: nil)
  }

  private func pattern(_ data: Data) -> HapticPattern {
    (try? AHAPReader.read([UInt8](data)).pattern) ?? HapticPattern()
  }

  private var eightVibrations: HapticPattern {
    HapticPattern(
      events: (0..<8).map { index in
        HapticEvent(
          kind: .hapticContinuous, time: 0, duration: 5,
          parameters: EventParameters(intensity: 0.3, sharpness: Double(index) / 8))
      },
      curves: [
        ParameterCurve(
          id: .hapticIntensity, time: 0,
          points: [.init(time: 0, value: 1), .init(time: 5, value: 0.2)]),
        ParameterCurve(
          id: .hapticSharpness, time: 0,
          points: [.init(time: 0, value: 0), .init(time: 5, value: 0.3)]),
      ])
  }

  private func measure(_ name: String, _ pattern: HapticPattern, aim: Int?) {
    let configuration = RenderConfiguration()
    let timeline = Timeline(pattern, configuration: configuration)
    var samples = [Float](repeating: 0, count: block)
    var frames = 0
    var shortest = Double.infinity
    for _ in 0..<20 {
      var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
      frames = renderer.frameCount
      let taken = best(of: 1) {
        for _ in 0..<(frames / block + 1) {
          var span = samples.mutableSpan
          renderer.render(haptic: &span)
        }
      }
      shortest = min(shortest, taken)
    }
    let times = Double(frames) / configuration.rate.hertz / shortest
    row(name, "\(Int(times)) x real time", aim.map { "aim \($0)" } ?? "")
  }
}
