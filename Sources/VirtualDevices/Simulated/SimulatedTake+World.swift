import Devices
import Units

/// The actuator of a take, of either kind.
///
/// Not an enumeration, whose payload would be copied out and back for every run.
struct Plant: Sendable {
  private var linear: LinearPlant?
  private var rotating: RotatingPlant?
  /// How many steps the voltages given are ahead of the actuator's state.
  let lookahead: Int

  /// Makes an actuator at rest, with a sensor up to `bandwidth` hertz.
  init(_ parameters: PlantParameters, bandwidth: Double, step: Double) {
    switch parameters {
    case .linear(let motor):
      linear = LinearPlant(motor, bandwidth: bandwidth, step: step)
      lookahead = LinearPlant.lookahead
    case .rotating(let motor):
      rotating = RotatingPlant(motor, bandwidth: bandwidth, step: step)
      lookahead = RotatingPlant.lookahead
    }
  }

  /// Goes `count` steps on.
  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample]
  ) {
    linear?.run(volts, count: count, held: held, into: &output)
    rotating?.run(volts, count: count, held: held, into: &output)
  }
}

extension SimulatedTake {
  /// Lets the plant live up to and with a step; the drive frames for it must be there.
  mutating func live(through last: Int) {
    while nextStep <= last {
      let count = min(PlantBlock.capacity, last + 1 - nextStep)
      setup.driveKernel.read(
        lines[setup.hapticLine], along: stepAxis, nextStep..<(nextStep + count),
        into: &block.volts)
      block.volts.scale(by: Float(setup.fullScaleVolts), count: count)
      let held = heldSteps(nextStep..<(nextStep + count))
      plant.run(block.volts, count: count, held: held, into: &block.output)
      for channel in setup.sources.indices { show(channel, count: count) }
      nextStep += count
    }
  }

  /// Keeps what a channel shows of a run of steps.
  private mutating func show(_ channel: Int, count: Int) {
    switch setup.sources[channel] {
    case .lines: break
    case .motion(let share, _, _):
      mixing.fill(from: block.output, count: count) {
        share.x * $0.along + share.y * $0.across
      }
      shown[channel].append(mixing, count: count)
    case .current:
      mixing.fill(from: block.output, count: count) { $0.current }
      shown[channel].append(mixing, count: count)
    }
  }

  /// The places in a run of steps where the actuator is stuck.
  private func heldSteps(_ steps: Range<Int>) -> [Range<Int>] {
    guard !setup.faults.isEmpty else { return [] }
    let frames = Int(frame(ofStep: steps.lowerBound))..<(Int(frame(ofStep: steps.upperBound)) + 1)
    return setup.faults.windows(of: .stuck, in: shift(frames, by: frameOffset)).map { window in
      let own = shift(window, by: -frameOffset)
      return shift(
        step(ofFrame: own.lowerBound)..<step(ofFrame: own.upperBound), by: -steps.lowerBound)
    }
  }

  /// The true time of a step in frames of the nominal rate, at the earliest 0.
  private func frame(ofStep step: Int) -> Double {
    let position = Double(step) / Double(setup.oversampling) - Double(stepLead)
    return max(0, (driveDelay + position / driveRate) * setup.rate.hertz)
  }

  /// The step next to the true time of a frame of the nominal rate.
  private func step(ofFrame frame: Int) -> Int {
    let position = (Double(frame) / setup.rate.hertz - driveDelay) * driveRate
    return Int(((position + Double(stepLead)) * Double(setup.oversampling)).rounded())
  }
}
