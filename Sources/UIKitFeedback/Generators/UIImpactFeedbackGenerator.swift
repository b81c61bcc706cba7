// SPDX-License-Identifier: Apache-2.0

public import CoreHaptics
public import Foundation

/// Feedback for two things that meet.
@preconcurrency @MainActor
open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
  /// What meets.
  public enum FeedbackStyle: Int, Sendable {
    case light = 0
    case medium = 1
    case heavy = 2
    case soft = 3
    case rigid = 4

    var kind: FeedbackKind {
      switch self {
      case .light: .impactLight
      case .medium: .impactMedium
      case .heavy: .impactHeavy
      case .soft: .impactSoft
      case .rigid: .impactRigid
      }
    }
  }

  private let style: FeedbackStyle

  /// Makes a generator of medium impacts.
  public override nonisolated init() {
    style = .medium
    super.init()
  }

  /// Makes a generator.
  public init(style: FeedbackStyle) {
    self.style = style
    super.init(engine: nil)
  }

  /// Makes a generator on an engine: haprig's own.
  public init(style: FeedbackStyle, engine: CHHapticEngine) {
    self.style = style
    super.init(engine: engine)
  }

  /// Plays it.
  open func impactOccurred() { play(style.kind) }

  /// Plays it at an intensity of 0 to 1.
  open func impactOccurred(intensity: CGFloat) { play(style.kind, intensity: intensity) }

  /// Plays it; where on a view it happened makes no difference here.
  open func impactOccurred(at location: CGPoint) { play(style.kind) }

  /// Plays it at an intensity of 0 to 1; where on a view it happened makes no difference here.
  open func impactOccurred(intensity: CGFloat, at location: CGPoint) {
    play(style.kind, intensity: intensity)
  }
}

/// Feedback for a choice that changes.
@preconcurrency @MainActor
open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
  /// Makes a generator.
  public override nonisolated init() { super.init() }

  /// Makes a generator on an engine: haprig's own.
  public init(engine: CHHapticEngine) { super.init(engine: engine) }

  /// Plays it.
  open func selectionChanged() { play(.selection) }

  /// Plays it; where on a view it happened makes no difference here.
  open func selectionChanged(at location: CGPoint) { play(.selection) }
}

/// Feedback for how something came out.
@preconcurrency @MainActor
open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
  /// How it came out.
  public enum FeedbackType: Int, Sendable {
    case success = 0
    case warning = 1
    case error = 2
  }

  /// Makes a generator.
  public override nonisolated init() { super.init() }

  /// Makes a generator on an engine: haprig's own.
  public init(engine: CHHapticEngine) { super.init(engine: engine) }

  /// Plays it.
  open func notificationOccurred(_ notificationType: FeedbackType) {
    switch notificationType {
    case .success: play(.success)
    case .warning: play(.warning)
    case .error: play(.error)
    }
  }

  /// Plays it; where on a view it happened makes no difference here.
  open func notificationOccurred(_ notificationType: FeedbackType, at location: CGPoint) {
    notificationOccurred(notificationType)
  }
}
