// SPDX-License-Identifier: Apache-2.0

import AHAP
import Bench
import Composing
import CoreHaptics
import Devices
import Glibc
import HapticRendering
import JSONText
import RigFiles
import ScratchFolder
import SignalAnalysis
import Synchronization
import Testing
import Units
import Workflows

@testable import ALSADevices

/// A rig that follows what its own microphone hears, behind the virtual card: what is known of the card by its
/// file says how late the drive is.
@Suite(
  .enabled(
    if: VirtualCardPlugin.candidates().contains { access($0, R_OK) == 0 },
    "the virtual card's plug-in is not beside the tests: 'swift build --product asound_module_pcm_haprig'"
  ))
struct FollowCardTests {
  /// Keeps the drive as it was sent, all channels.
  private final class WideTape: SignalTap {
    let frames = Mutex<[Float]>([])
    func begin() {}
    func drive(_ frames: Span<Float>) {
      self.frames.withLock { kept in
        for index in frames.indices { kept.append(frames[index]) }
      }
    }
    func capture(_ frames: Span<Float>) {}
    func lost(_ event: StreamEvent, ofDrive: Bool) {}
  }

  private static let project =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  /// The ways that the card's file gives its sound, in seconds: out, through the air, in.
  private static let way = 5.2e-3 + 1.5e-3 + 3.1e-3

  /// The project's virtual card, without jitter and noise, its capture's clock off by so many ppm.
  private func rig(in folder: ScratchFolder, drift: Int = 0) throws -> RigDescription {
    var text = try #require(ScratchFolder.text(Self.project + "/rigs/virtual-card.yaml"))
    for (old, new) in [
      ("jitter: 0.02 ms", "jitter: 0 ms"), ("clock: 12 ppm", "clock: \(drift) ppm"),
      ("noise: 0.1 mV", "noise: 0 mV"),
    ] {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    // The card reads its file itself.
    let path = try folder.write(text, to: "rig.yaml")
    return try RigDescription(yaml: Array(text.utf8), file: path)
  }

  /// When the sounds begin, in frames: at every place in a period of the card, and each at one place in a hop.
  private let beginnings = (0..<64).map { 24_000 + 40 + $0 * 30_120 }
  /// How long a sound that comes then waits for the end of its hop, which counts from the first frame captured.
  private let wait = 120 - (40 + way * 48_000 - 3 * 120 - 120)

  /// A card that hears tones from its own loudspeaker, and follows them to the last.
  private func follow(_ rig: RigDescription) throws -> (FollowDirector, WideTape) {
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    let tape = WideTape()
    let queue = RealtimeQueue<Float>(capacity: 1)
    var request = FollowRequest(.own, settings: ComposeSettings(.envelope))
    request.gain = 0
    let director = try FollowWorkflow.open(
      request, builder, isStepped: true, samples: queue.consumer, feed: SoundFeed(),
      watcher: tape, by: RigOperator(version: "test", stop: StopSignal()))
    let rate = director.stage.rate
    // All hops of it are as loud: its beginning is a step.
    let tone = (0..<14_400).map { 0.1 * Float(sin(2 * .pi * 3_000 * Double($0) / rate.hertz)) }
    var bank = SoundBank()
    bank.add([Signal(samples: tone, rate: rate, unit: .one)], path: "tone")
    let events = beginnings.enumerated().map { index, frame in
      var event = HapticEvent(
        kind: .audioCustom, time: rate.seconds(Double(frame)), waveformPath: "tone", order: index)
      event.useVolumeEnvelope = false
      return event
    }
    let program = PlayerProgram(
      HapticPattern(events: events), configuration: builder.configuration, sounds: bank)
    _ = try director.stage.begin(program, tag: 1, [])
    while tape.frames.withLock({ $0.count / 3 }) < (beginnings.last ?? 0) + 48_000 {
      guard director.stage.advance(frames: 64) else { break }
      _ = director.look(at: 0)
    }
    return (director, tape)
  }

  @Test func `a card's own sound waits for its hop, and for the buffers that are stated`() throws {
    let folder = try ScratchFolder()
    let (director, tape) = try follow(try rig(in: folder))
    let rate = director.stage.rate
    let frames = tape.frames.withLock { $0 }
    let haptic = stride(from: 0, to: frames.count, by: 3).map { frames[$0] }
    let sound = stride(from: 1, to: frames.count, by: 3).map { frames[$0] }
    let windows = director.windows
    let stated = windows.map(\.buffers).reduce(0, +) / Double(windows.count)
    var buffers: [Double] = []
    for begun in beginnings {
      // The tone itself begins with a zero, and so does what rises by it.
      #expect(abs(sound[begun]) < 1e-6 && sound[begun + 1] > 1e-3)
      let driven = try #require((begun..<haptic.count).first { abs(haptic[$0]) > 1e-9 }) - 1
      buffers.append(rate.seconds(Double(driven - begun) - wait) - Self.way)
    }
    let (least, most) = (buffers.min() ?? 0, buffers.max() ?? 0)
    #expect(
      least > stated - 1e-4 && most < stated + 1e-4, "\(least) to \(most) s, stated \(stated) s")
    // What haprig itself has measured of the same.
    let found = try #require(director.summary["heardToDrive"]?["seconds"]?.number)
    #expect(abs(found - director.delay.typical - stated) < 2e-4, "\(found) s")
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [-200, 200])
  func `a capture whose clock is another one's tells the same motion to the end`(
    drift: Int
  ) throws {
    let folder = try ScratchFolder()
    let windows = try follow(try rig(in: folder, drift: drift)).0.windows
    // Over these windows the capture's frames go 7 ms away from the drive's.
    #expect(windows.count >= 9)
    let delays = try windows.map { try #require($0.driveToMotion).delay.value }
    #expect((delays.max() ?? 0) - (delays.min() ?? 0) < 4e-4, "\(drift) ppm: \(delays)")
    withExtendedLifetime(folder) {}
  }
}
