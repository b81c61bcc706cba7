import Devices
import HapticRendering

/// A player apart from the object that an app holds: what its stream needs as long as it plays.
final class PlayerCore: Sendable {
  /// What was set, for the next stream as well.
  struct Settings: Sendable {
    var isLooping = false
    var loopEnd = 0.0
    var rate = 1.0
    var isMuted = false
  }

  /// What it plays.
  let program: PlayerProgram
  /// How often the engine had been reset when it was made.
  let generation: Int
  let settings = Guarded(Settings())
  /// What is called when a play is over.
  let completion = Guarded<Handler<((any Error)?) -> Void>?>(nil)

  init(program: PlayerProgram, generation: Int) {
    self.program = program
    self.generation = generation
  }

  /// Tells the app that a play is over.
  func complete(_ error: CHHapticError?, on handlers: HandlerQueue) {
    guard let handler = completion.withLock({ $0 }) else { return }
    handlers.add { handler.call(error) }
  }
}
