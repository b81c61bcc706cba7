import Devices
private import Glibc
import SignalAnalysis
import Units

/// The frames on which a pattern's response is fitted: the drive's clock, at a few kilohertz.
///
/// What the actuator does to a pattern lies below a kilohertz. Frame i stands for drive frame
/// `first + i * factor`; the capture is brought there by a low-pass whose weights are taken at the
/// capture's own fractions of a frame, so that delay, drift and steps after breaks are gone at once.
struct AnalysisGrid {
  /// Drive frames for each frame.
  let factor: Int
  /// The drive frame of frame 0.
  let first: Int
  let count: Int
  /// Frames a second.
  let rate: Double

  private let kernel: LowPassKernel

  /// About this many frames a second are enough, in hertz.
  private static let wanted = 4_000.0

  init(over frames: Range<Int>, rate: SampleRate) {
    factor = max(1, Int(rate.hertz / Self.wanted))
    first = frames.lowerBound
    count = max(0, frames.count / factor)
    self.rate = rate.hertz / Double(factor)
    kernel = LowPassKernel(factor: factor)
  }

  /// Frames at either end of a sample that its low-pass reaches, in drive frames.
  var reach: Int { kernel.reach }

  func place(of frame: Double) -> Double { (frame - Double(first)) / Double(factor) }

  /// A capture on the grid, `delay` telling its frame minus the drive frame, about an offset.
  func sample(_ capture: Samples, offset: Float, delay: (Double) -> Double) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(count)
    for begin in stride(from: 0, to: count, by: Self.blockLength) {
      let frames = (begin..<min(count, begin + Self.blockLength)).map { index in
        let frame = Double(first + index * factor)
        return frame + delay(frame)
      }
      let (low, high) = (frames.min() ?? 0, frames.max() ?? 0)
      let window = (Int(low.rounded(.down)) - reach)..<(Int(high.rounded(.down)) + reach + 1)
      let inside = window.clamped(to: capture.indices)
      let samples = capture[inside]
      for frame in frames {
        values.append(
          kernel.value(
            of: samples, at: frame, from: inside.lowerBound, offset: offset))
      }
    }
    return values
  }

  private static let blockLength = 1 << 12

  /// The response that a model gives to a drive, on the grid.
  ///
  /// The drive is in volts, from drive frame `start` on, and zero outside; `spectra` keeps the model's
  /// response by the transforms' lengths from call to call.
  func predict(
    _ drive: [Float], from start: Int, _ model: ResponseModel, spectra: inout [Int: [Complex]]
  ) -> (first: Int, samples: [Double]) {
    let margin = reach / factor + 2
    let place = Int((place(of: Double(start))).rounded(.down)) - margin
    let lead = start - (first + place * factor)
    let sent = (0..<((lead + drive.count) / factor + margin)).map { index in
      kernel.value(of: drive, at: Double(first + (place + index) * factor), from: start, offset: 0)
    }
    let needed = sent.count + Int(model.ringing * rate)
    let length = FourierTransform.commonLength(atLeast: needed + margin)
    let width = rate / Double(length)
    if spectra[length] == nil {
      spectra[length] = (0...(length / 2)).map { model.response(at: Double($0) * width) }
    }
    let response = spectra[length] ?? []
    var transform = FourierTransform(length: length)
    let spectrum = transform.forward(sent.span)
    let bins = response.indices.map { spectrum[$0] * response[$0] }
    return (place, Array(transform.inverse(bins).prefix(needed)))
  }
}

/// A low-pass by a sinc under a Blackman window, at any fraction of a frame.
private struct LowPassKernel {
  /// Frames to either side.
  let reach: Int
  private let weights: [Double]

  private static let phases = 128
  /// The corner as a share of the lowered rate.
  private static let corner = 0.35
  /// Lowered frames to either side.
  private static let length = 12

  init(factor: Int) {
    let reach = Self.length * factor
    self.reach = reach
    let cutoff = Self.corner / Double(factor)
    func weight(_ distance: Double) -> Double {
      let share = distance / Double(reach)
      guard abs(share) < 1 else { return 0 }
      let window = 0.42 + 0.5 * cos(.pi * share) + 0.08 * cos(2 * .pi * share)
      let turn = 2 * .pi * cutoff * distance
      return window * 2 * cutoff * (abs(turn) < 1e-9 ? 1 : sin(turn) / turn)
    }
    weights = (0...Self.phases).flatMap { phase in
      (0..<(2 * reach)).map { tap in
        weight(Double(tap - reach + 1) - Double(phase) / Double(Self.phases))
      }
    }
  }

  /// The value at a frame and its fraction; what lies beyond the ends counts as the offset.
  ///
  /// `samples` begin at frame `first` of the capture, and hold all of it that the kernel reaches.
  func value(of samples: [Float], at frame: Double, from first: Int, offset: Float) -> Double {
    let base = frame.rounded(.down)
    let phase = (frame - base) * Double(Self.phases)
    let row = min(Self.phases - 1, Int(phase))
    let part = phase - Double(row)
    let start = Int(base) - first - reach + 1
    let (from, to) = (max(0, start), min(samples.count, start + 2 * reach))
    guard from < to else { return 0 }
    return weights.withUnsafeBufferPointer { weights in
      samples.withUnsafeBufferPointer { samples in
        let (near, far) = (row * 2 * reach - start, (row + 1) * 2 * reach - start)
        var (low, high) = (0.0, 0.0)
        guard part > 0 else {
          for place in from..<to { low += Double(samples[place] - offset) * weights[near + place] }
          return low
        }
        for place in from..<to {
          let value = Double(samples[place] - offset)
          low += value * weights[near + place]
          high += value * weights[far + place]
        }
        return low + part * (high - low)
      }
    }
  }
}
