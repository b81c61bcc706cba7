// SPDX-License-Identifier: Apache-2.0

import AHAP
import CoreHaptics
import Foundation
import Testing
import UIKitFeedback

/// The feedback vocabulary over an engine.
struct FeedbackTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "rigs/patterns/feedback")

  @Test(arguments: FeedbackKind.allCases)
  func `a feedback is what its file says`(kind: FeedbackKind) throws {
    let file = Self.folder.appending(path: "\(kind.rawValue).ahap")
    let written = try AHAPReader.read(
      Array(try Data(contentsOf: file)), options: AHAPOptions(mode: .strict))
    #expect(written.diagnostics.isEmpty, "\(written.diagnostics)")
    let exported = try kind.pattern().exportDictionary()
    let text = try JSONSerialization.data(
      withJSONObject: Dictionary(
        uniqueKeysWithValues: exported.map { ($0.key.rawValue, $0.value) }))
    let own = try AHAPReader.read(Array(text)).pattern
    #expect(own.events.count == written.pattern.events.count)
    for (mine, theirs) in zip(own.events, written.pattern.events) {
      #expect(mine.kind == theirs.kind && mine.time == theirs.time)
      // An exported tap says that it has none.
      #expect((mine.duration ?? 0) == (theirs.duration ?? 0))
      for id in EventParameterID.allCases {
        let difference = (mine.parameters[id] ?? -9) - (theirs.parameters[id] ?? -9)
        #expect(abs(difference) < 1e-6, "\(id.rawValue)")
      }
    }
  }

  @Test func `there is a file for each feedback and none besides`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".ahap") }.sorted()
    #expect(names == FeedbackKind.allCases.map { "\($0.rawValue).ahap" }.sorted())
  }

  @MainActor
  @Test func `generators play on their engine`() throws {
    let engine = CHHapticEngine(bench: EngineBench(clock: .stepped))
    let impact = UIImpactFeedbackGenerator(style: .rigid, engine: engine)
    impact.prepare()
    #expect(engine.advance(by: 0.01))
    impact.impactOccurred()
    impact.impactOccurred(intensity: 0.4)
    UISelectionFeedbackGenerator(engine: engine).selectionChanged()
    UINotificationFeedbackGenerator(engine: engine).notificationOccurred(.error)
    engine.advance(by: 1)
    #expect(engine.latency.immediate.count == 4)
  }

  @MainActor
  @Test func `a generator is made and replaced as UIKit's`() {
    let deaf = DeafGenerator()
    let generator: UIImpactFeedbackGenerator = deaf
    generator.impactOccurred()
    #expect(deaf.asked == 1)
    let others: [UIFeedbackGenerator] = [
      UISelectionFeedbackGenerator(), UINotificationFeedbackGenerator(),
      UIImpactFeedbackGenerator(),
    ]
    for generator in others { generator.prepare() }
  }
}

/// A generator of a test of an app: it plays nothing.
private final class DeafGenerator: UIImpactFeedbackGenerator {
  private(set) var asked = 0

  override func impactOccurred() { asked += 1 }
}
