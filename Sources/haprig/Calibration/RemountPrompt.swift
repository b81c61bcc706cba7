import Bench
import Devices

/// Asks for the actuator to be mounted again, and waits for Return.
struct RemountPrompt {
  /// How often it is asked for.
  let count: Int
  /// What goes on where the input ends, or somebody asks to stop.
  let kept: KeptSegments
  private var asked = 0
  private var lines = LineInput(stop: Interruption.signal)

  /// Asks from the first time on.
  init(count: Int, kept: KeptSegments) { (self.count, self.kept) = (count, kept) }

  /// Asks, and waits for a line of standard input, a terminal or not.
  mutating func ask() throws {
    asked += 1
    let title = "[\(asked)/\(count)]"
    Console.error(
      "\(title) take the actuator off, mount it again as before, let go of it, then press Return")
    let hasLine = lines.next()
    if let number = Interruption.signal.requested {
      throw ExitStatus(128 + number, "haprig: stopped by signal \(number); \(kept.sentence)")
    }
    guard hasLine else {
      throw InputError(
        "the input ended before the actuator was mounted again \(title): each remount waits for a "
          + "line; give the same command again to go on from here, without --remounts to end without"
      )
    }
  }
}
