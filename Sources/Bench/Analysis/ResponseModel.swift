// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import SignalAnalysis
import Units

/// How the rig's actuator answers its drive: the resonator of a take, and what its probe showed beyond it.
///
/// H(f) = R(f) + C(f). R is one resonance, or two where the probe has two. C is the measured transfer function of the take's own probe less the
/// R, where the probe drives at all and as far as it stands out of the noise; its impulse response is cut
/// off where the actuator has rung out. So a coil's low-pass, a second mode or a mount is in it, at the
/// probe's level.
struct ResponseModel {
  /// The resonance, of two the stronger one.
  let resonator: ResonatorModel
  let modes: ModalModel?
  /// What the model leaves of the probe's response, beyond the noise, as a share of its amplitude.
  let misfit: Double
  let rate: Double
  let ringing: Double
  /// C at multiples of `spacing`.
  private let correction: [Complex]
  private let spacing: Double

  /// After so many time constants 1e-4 of a ringing is left.
  private static let timeConstants = 9.2
  /// Nothing of the actuator's answer comes earlier than the resonator's by more than this, in seconds.
  private static let earliest = 0.002
  /// Above this frequency there is no correction, in hertz: the probe ends at 500.
  private static let highest = 700.0

  init(
    _ resonator: ResonatorModel, modes: ModalModel?, probe: ProbeWindow?, noise: Double,
    rate: SampleRate
  ) {
    self.resonator = resonator
    self.modes = modes
    func modelled(_ frequency: Double) -> Complex {
      modes?.response(at: frequency) ?? resonator.response(at: frequency)
    }
    self.rate = rate.hertz
    ringing =
      Self.timeConstants * resonator.decayTime.value + max(0, resonator.delay.value)
    let misfit = resonator.quality?.misfit ?? 0
    guard let probe, misfit > 0 else {
      (correction, spacing) = ([], 1)
      self.misfit = misfit
      return
    }
    let length = FourierTransform.fastLength(
      atLeast: max(probe.drive.count + rate.wholeFrames(2 * ringing), rate.wholeFrames(1.3)))
    let width = rate.hertz / Double(length)
    var transform = FourierTransform(length: length)
    let sent = transform.forward(probe.drive.span)
    let answered = transform.forward(probe.motion.span)
    let largest = sent.map(\.power).max() ?? 0
    // What is left over counts where it stands out of the noise: Wiener's weight.
    let height = misfit * abs(resonator.gain.value)
    let floor = max(
      1e-3 * largest, noise * noise * Double(probe.motion.count) / max(height * height, 1e-300))
    var rest = sent.indices.map { bin -> Complex in
      let frequency = Double(bin) * width
      guard frequency < Self.highest else { return Complex(0) }
      let left = answered[bin] - modelled(frequency) * sent[bin]
      return (1 / (sent[bin].power + floor)) * (left * sent[bin].conjugate)
    }
    var impulse = transform.inverse(rest)
    let (before, after) = (rate.wholeFrames(Self.earliest), rate.wholeFrames(ringing))
    for frame in impulse.indices {
      let place = frame < length / 2 ? frame : frame - length
      if place < -before || place > after { impulse[frame] = 0 }
    }
    rest = transform.forward(impulse.span)
    var (left, whole) = (0.0, 0.0)
    for bin in sent.indices where Double(bin) * width < Self.highest {
      let predicted = (modelled(Double(bin) * width) + rest[bin]) * sent[bin]
      left += (answered[bin] - predicted).power
      whole += answered[bin].power
    }
    let white =
      noise * noise * Double(probe.motion.count) * Double(Int(Self.highest / width))
    let corrected = (max(0, left - white) / max(whole - white, 1e-300)).squareRoot()
    self.misfit = min(misfit, corrected)
    spacing = width
    correction = Array(rest.prefix(Int(Self.highest / width) + 2))
  }

  /// The response at a frequency in hertz, with ln f0 and ln Q of the resonator moved by some amounts.
  ///
  /// What drives the resonator stays as it is: only its spring and its damping change.
  func response(at frequency: Double, lnF0: Double = 0, lnQ: Double = 0) -> Complex {
    let one = resonator.response(at: frequency)
    var sum = modes?.response(at: frequency) ?? one
    if lnF0 != 0 || lnQ != 0 {
      let ratio = frequency / resonator.frequency.value
      let (w, q) = (exp(lnF0), resonator.q.value)
      let before = Complex(1 - ratio * ratio, ratio / q)
      let after = Complex(w * w - ratio * ratio, ratio * w / (q * exp(lnQ)))
      sum = sum + (before / after - Complex(1)) * one
    }
    let place = frequency / spacing
    let bin = Int(place)
    guard bin + 1 < correction.count else { return sum }
    let part = place - Double(bin)
    return sum + (1 - part) * correction[bin] + part * correction[bin + 1]
  }
}

/// The frames on which a pattern's response is fitted: the drive's clock, at a few kilohertz.
///
/// What the actuator does to a pattern lies below a kilohertz. Frame i stands for drive frame
/// `first + i * factor`; the capture is brought there by a low-pass whose weights are taken at the
/// capture's own fractions of a frame, so that delay, drift and steps after breaks are gone at once.
struct AnalysisGrid {
  let factor: Int
  let first: Int
  let count: Int
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
        values.append(kernel.value(of: samples, at: frame, from: inside.lowerBound, offset: offset))
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
