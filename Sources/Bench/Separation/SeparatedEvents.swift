import Devices
import SignalAnalysis
import Units

/// What each haptic event of a take did by itself, told from all others: of a linear actuator by its waveform
/// (`EventSeparation`), of a motor by its speed (`MotorSeparation`).
protocol SeparatedEvents: Sendable {
  /// By event.
  var parts: [Int: SeparatedPart] { get }
  /// Why an event has no part.
  var reasons: [Int: String] { get }
  /// Whether an event drives the actuator at all.
  func isDriven(_ event: Int) -> Bool
  /// The response of one event alone.
  func response(of event: Int) -> SeparatedResponse?
  /// When the actuator answered something that no event asked for, in seconds of the pattern; `nil` where the fit
  /// cannot tell.
  func strays() -> [Double]?
  /// What the fit says of the response, and what it leaves over, from a drive frame on, one value each `factor` frames;
  /// `nil` where it is not of samples.
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])?
}

/// What was told of one event.
struct SeparatedPart {
  /// The pure delay of this event's response after the reference, in seconds of the capture, the sensor's
  /// included; `nil` where two delays explain it, or nothing came.
  let delay: Estimate?
  /// Why there is no delay.
  let delayReason: String?
  /// The strength of the response over the predicted one.
  let gain: Estimate
  /// The events that it is scored with as one, itself included, in order.
  let members: [Int]
  /// What prediction and response differ by around it, as a share of the amplitude.
  let misfit: Double
  /// How many frames were compared.
  let frameCount: Int

  /// Where the gain is surely below this, nothing came of an event: 10 dB less than its drive asks for.
  static let dropped = 0.3
  /// Whether a gain says that nothing came of an event.
  static func isDropped(_ gain: Estimate) -> Bool { gain.value + 2 * gain.uncertainty < dropped }

  /// Whether nothing came of the event.
  var isDropped: Bool { Self.isDropped(gain) }
  /// What it was scored with, in words; `nil` where it stands for itself.
  var account: String? {
    guard members.count > 1 else { return nil }
    return "scored as one with events \(members.map(String.init).joined(separator: ", ")), "
      + "which cannot be told apart"
  }
}

/// One event's response alone, on the capture's frames.
struct SeparatedResponse {
  /// The capture frame that both begin at.
  let first: Int
  /// As the fit has it: without noise and offset.
  let fitted: [Double]
  /// The same with its share of what the fit left over, noise included.
  let measured: [Double]
  /// The course of its crests, where the carrier's phase is not the drive's.
  var strength: [Double]? = nil

  /// Of samples at a rate one in so many is enough: what moves lies below a kilohertz.
  static func step(at rate: SampleRate) -> Int { max(1, Int(rate.hertz / 24_000)) }
}

extension Samples {
  /// A range about an offset, nothing where there is none.
  func about(_ offset: Float, in frames: Range<Int>) -> [Double] {
    let inside = frames.clamped(to: indices)
    return zip(frames, padded(frames)).map { inside.contains($0) ? Double($1 - offset) : 0 }
  }
}
