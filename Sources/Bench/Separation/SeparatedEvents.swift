import Acceptance
import Devices
import SignalAnalysis
import Units

/// What each haptic event of a take did by itself, told from all others: of a linear actuator by its waveform
/// (`EventSeparation`), of a motor by its speed (`MotorSeparation`).
protocol SeparatedEvents: Sendable {
  var parts: [Int: SeparatedPart] { get }
  /// Why an event has no part.
  var reasons: [Int: String] { get }
  func isDriven(_ event: Int) -> Bool
  func response(of event: Int) -> SeparatedResponse?
  /// When the actuator answered something that no event asked for, in seconds of the pattern; `nil` where the fit
  /// cannot tell.
  func strays() -> [Double]?
  /// What the fit says of the response, and what it leaves over, from a drive frame on, one value each `factor` frames;
  /// `nil` where it is not of samples.
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])?
}

struct SeparatedPart {
  /// The pure delay of this event's response after the reference, in seconds of the capture, the sensor's
  /// included; `nil` where two delays explain it, or nothing came.
  let delay: Estimate?
  let delayReason: String?
  /// The strength of the response over the predicted one.
  let gain: Estimate
  let members: [Int]
  /// What prediction and response differ by around it, as a share of the amplitude.
  let misfit: Double
  let frameCount: Int

  /// Where the gain is surely below this, nothing came of an event: 10 dB less than its drive asks for.
  static let dropped = 0.3
  static func isDropped(_ gain: Estimate) -> Bool { gain.value + 2 * gain.uncertainty < dropped }
  var isDropped: Bool { Self.isDropped(gain) }

  /// Keeps the delay unless nothing came, or there is a reason against it.
  init(
    delay: Estimate, unless reason: String?, gain: Estimate, members: [Int], misfit: Double,
    frameCount: Int
  ) {
    delayReason = Self.isDropped(gain) ? Reading.droppedNote : reason
    self.delay = delayReason == nil ? delay : nil
    self.gain = gain
    self.members = members.sorted()
    self.misfit = misfit
    self.frameCount = frameCount
  }

  var groupNote: String? {
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

extension SeparatedResponse {
  /// The height of the response's highest crest in some of its frames; `nil` where there is none.
  ///
  /// The fitted response says which crest that is, so that noise cannot choose one that it lifts; how high it
  /// is the measured samples say, from one zero to the next: a = sum(m f) / sum(f^2) times the fitted
  /// height. With white noise of standard deviation s a frame, its own is s h / sqrt(sum(f^2)).
  func crest(within frames: Range<Int>, noise: Double) -> Estimate? {
    let frames = frames.clamped(to: fitted.indices)
    guard let top = frames.max(by: { abs(fitted[$0]) < abs(fitted[$1]) }), fitted[top] != 0 else {
      return nil
    }
    let isSame = { (frame: Int) in fitted[frame] * fitted[top] > 0 }
    let first = (fitted.startIndex..<top).last { !isSame($0) } ?? fitted.startIndex
    let last = (top..<fitted.endIndex).first { !isSame($0) } ?? fitted.endIndex
    var (shared, own) = (0.0, 0.0)
    for frame in first..<last {
      shared += measured[frame] * fitted[frame]
      own += fitted[frame] * fitted[frame]
    }
    let height = abs(fitted[top])
    return Estimate(max(0, height * shared / own), uncertainty: noise * height / own.squareRoot())
  }
}

enum EventGroups {
  /// Joins groups of events that cannot be told apart: chains of pairs of places make one group.
  ///
  /// What remains stands by its first group's place, the events of each in order.
  static func joined(_ groups: [[Int]], by pairs: [(Int, Int)]) -> [[Int]] {
    var home = Array(groups.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while home[index] != index { index = home[index] }
      return index
    }
    for (one, other) in pairs {
      let (one, other) = (root(one), root(other))
      home[max(one, other)] = min(one, other)
    }
    var joined: [Int: [Int]] = [:]
    for index in groups.indices { joined[root(index), default: []] += groups[index] }
    return joined.keys.sorted().map { joined[$0]?.sorted() ?? [] }
  }
}

extension TakeAlignment {
  /// Stretches of drive frames of which the capture does not tell what the drive as sent did: frames lost
  /// or clipped, drive not sent as commanded and what it leaves ringing, and what was not recorded.
  ///
  /// Where silence was lost, nothing rings on. One may be empty, or end before it begins.
  func untold(ringing: Int, until last: Double) -> [(from: Double, until: Double)] {
    func driven(_ frame: Int) -> Double {
      Double(frame) - electricalFrames(at: Double(frame))
    }
    let drive: Samples = take.channels[.haptic] ?? []
    return recording.captureEvents.map {
      (driven($0.frames.lowerBound), driven($0.frames.upperBound))
    }
      + recording.driveEvents.map { event in
        let lost = drive[event.frames.clamped(to: drive.indices)].contains { $0 != 0 }
        return (
          Double(event.frames.lowerBound), Double(event.frames.upperBound + (lost ? ringing : 0))
        )
      } + [(driven(recording.frameCount), last)]
  }
}
