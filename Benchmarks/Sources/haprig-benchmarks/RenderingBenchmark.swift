// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import HapticRendering

/// How much faster than real time the mono drive renders, and what an event in force costs.
struct RenderingBenchmark {
  let corpus: Corpus
  private let block = 256

  func report() {
    print("rendering, mono drive, 48 kHz, blocks of \(block)")
    let gravel = pattern(corpus.gravel)
    let large = pattern(corpus.large)
    measure("149 taps in 3 s (Gravel)", gravel, aim: 5_000)
    measure("8 vibrations at once, both controls moving", vibrations, aim: 1_000)
    measure("the same with 50 taps a second that duck", busy, .ducked, aim: nil)
    measure("\(large.events.count) events in \(Int(large.duration)) s", large, aim: nil)
    measure("the same under the plain sum, no limit", large, .sum, aim: nil)
    print("  peer: one sin or two a frame and event, whole pattern in one buffer (NaiveRenderer)")
    measurePeer("149 taps in 3 s (Gravel)", gravel)
    measurePeer("8 vibrations at once, both controls moving", vibrations)
    measurePeer("\(large.events.count) events in \(Int(large.duration)) s", large)
    measureBuilding()
    print()
  }

  private func pattern(_ data: Data) -> HapticPattern {
    (try? AHAPReader.read([UInt8](data)).pattern) ?? HapticPattern()
  }

  private var vibrations: HapticPattern {
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

  private var busy: HapticPattern {
    var pattern = vibrations
    pattern.events += (0..<250).map { HapticEvent(kind: .hapticTransient, time: Double($0) / 50) }
    return pattern
  }

  private func measure(
    _ name: String, _ pattern: HapticPattern, _ mixing: MixingLaw = .standard, aim: Int?
  ) {
    let configuration = RenderConfiguration(mixingLaw: mixing)
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
    show(name, shortest, frames, timeline, aim: aim.map { "aim \($0)" })
  }

  private func measurePeer(_ name: String, _ pattern: HapticPattern) {
    let configuration = RenderConfiguration()
    let timeline = Timeline(pattern, configuration: configuration)
    let frames = HapticRenderer(timeline: timeline, configuration: configuration).frameCount
    var output = [Float](repeating: 0, count: frames)
    let peer = NaiveRenderer(timeline: timeline, configuration: configuration)
    let shortest = best(of: 5) { peer.render(&output) }
    show(name, shortest, frames, timeline, aim: nil)
  }

  /// Real time over time taken, and the time over frames times events in force.
  private func show(
    _ name: String, _ seconds: Double, _ frames: Int, _ timeline: Timeline, aim: String?
  ) {
    let rate = RenderConfiguration().rate.hertz
    let inForce = timeline.events.filter(\.kind.isHaptic).reduce(0) { $0 + $1.end - $1.start }
    let each = (seconds / (inForce * rate) * 1e11).rounded() / 100
    row(
      name, "\(Int(Double(frames) / rate / seconds)) x real time",
      "\(each) ns per event and frame" + (aim.map { ", \($0)" } ?? ""))
  }

  private func measureBuilding() {
    for count in [10_000, 100_000, 1_000_000] {
      let pattern = HapticPattern(
        events: (0..<count).map {
          HapticEvent(kind: .hapticTransient, time: Double($0) * 0.01)
        })
      let configuration = RenderConfiguration()
      let seconds = best(of: 3) {
        let timeline = Timeline(pattern, configuration: configuration)
        _ = HapticRenderer(timeline: timeline, configuration: configuration).frameCount
      }
      row(
        "timeline and renderer of \(count) taps", "\((seconds * 1e5).rounded() / 100) ms",
        "\(Int(seconds / Double(count) * 1e9)) ns per event")
    }
  }
}
