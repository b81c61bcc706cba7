// SPDX-License-Identifier: Apache-2.0

/// A method that makes touch of a sound, hop by hop, in memory of its owner's: what a render thread is lent.
///
/// A function by its address and its state, so that this module, which apps link, needs no module that knows
/// sounds. The owner keeps the state until the stage has ended, and answers for the function: it asks for no memory
/// and takes no lock.
package struct SoundMethod: BitwiseCopyable, @unchecked Sendable {
  // Sendable: one render thread at a time works on the state.

  /// Works through a hop of samples and fills four numbers: intensity and sharpness of the vibration, 0...1; intensity
  /// of a tap that begins now, 0 for none, and its sharpness.
  package typealias Function =
    @convention(c) (
      _ state: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>,
      _ cue: UnsafeMutablePointer<Double>
    ) -> Void

  private let state: UnsafeMutableRawPointer
  private let function: Function
  /// Samples of a hop, at most `longestHop`.
  let hopFrames: Int
  /// The length of a hop, in which what it asks for is reached.
  let hopSeconds: Double

  /// The most samples of a hop.
  package static let longestHop = 1024
  static var cueCount: Int {
    @_noAllocation @_noLocks get { 4 }
  }

  /// Lends a method.
  package init(
    state: UnsafeMutableRawPointer, hopFrames: Int, hopSeconds: Double, _ function: Function
  ) {
    precondition(
      (1...Self.longestHop).contains(hopFrames), "a hop of \(hopFrames) samples")
    self.state = state
    self.function = function
    self.hopFrames = hopFrames
    self.hopSeconds = hopSeconds
  }

  @_noAllocation @_noLocks
  func hear(_ samples: UnsafePointer<Float>, _ cue: UnsafeMutablePointer<Double>) {
    let (function, state) = (function, state)
    _unsafePerformance { function(state, samples, cue) }
  }
}
