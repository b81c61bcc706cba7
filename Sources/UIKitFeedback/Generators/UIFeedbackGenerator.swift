// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
@_exported public import Foundation
import Synchronization

/// What plays feedback; made by one of its subclasses.
///
/// All generators of a program share one engine, as all apps of a phone share one server. What cannot be
/// played is left out, as UIKit leaves it out: a feedback is no reason for an app to fail.
@preconcurrency @MainActor
open class UIFeedbackGenerator: NSObject {
  private static let shared = SharedEngine()
  private let own: CHHapticEngine?

  /// Makes a generator.
  public override nonisolated init() { own = nil }

  /// Takes an engine in the place of the shared one: haprig's own.
  init(engine: CHHapticEngine?) { own = engine }

  /// Starts the engine, so that the next feedback is not late.
  open func prepare() { try? engine()?.start() }

  /// Plays a feedback at once, its intensities scaled by 0...1.
  func play(_ kind: FeedbackKind, intensity: CGFloat = 1) {
    guard let engine = engine(), (try? engine.start()) != nil,
      let pattern = try? kind.pattern(intensity: Float(intensity))
    else { return }
    try? engine.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
  }

  private func engine() -> CHHapticEngine? { own ?? Self.shared.engine() }
}

/// The engine of all generators, made when the first asks for it.
private final class SharedEngine: Sendable {
  private let made = Mutex<CHHapticEngine?>(nil)

  func engine() -> CHHapticEngine? {
    made.withLock { made in
      if made == nil {
        made = try? CHHapticEngine()
        made?.isAutoShutdownEnabled = true
      }
      return made
    }
  }
}
