import Devices

/// The actuator of a take, of either kind.
enum Plant: Sendable {
  case linear(LinearPlant)
  case rotating(RotatingPlant)

  /// Makes an actuator at rest.
  init(_ parameters: PlantParameters, step: Double) {
    switch parameters {
    case .linear(let motor): self = .linear(LinearPlant(motor, step: step))
    case .rotating(let motor): self = .rotating(RotatingPlant(motor, step: step))
    }
  }
}

/// Room for a run of the plant's steps.
struct PlantBlock: Sendable {
  /// How many steps it holds.
  static let capacity = 1024

  var volts = [Float](repeating: 0, count: capacity)
  var along = [Float](repeating: 0, count: capacity)
  var across = [Float](repeating: 0, count: capacity)
  var current = [Float](repeating: 0, count: capacity)

  /// Runs a plant and the sensor's filter over the first `count` voltages.
  mutating func run(
    _ plant: inout some SimulatedPlant, _ filter: inout SensorFilter, count: Int,
    held: [Range<Int>]
  ) {
    let everHeld = !held.isEmpty
    for place in 0..<count {
      plant.step(
        volts: Double(volts[place]), held: everHeld && held.contains { $0.contains(place) })
      filter.advance(plant.acceleration)
      along[place] = Float(filter.output.x)
      across[place] = Float(filter.output.y)
      current[place] = Float(plant.current)
    }
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
      let scale = Float(setup.fullScaleVolts)
      for place in 0..<count { block.volts[place] *= scale }
      runPlant(count: count, held: heldSteps(nextStep..<(nextStep + count)))
      along.append(block.along[..<count])
      across.append(block.across[..<count])
      volts.append(block.volts[..<count])
      current.append(block.current[..<count])
      nextStep += count
    }
  }

  private mutating func runPlant(count: Int, held: [Range<Int>]) {
    switch plant {
    case .linear(var motor):
      block.run(&motor, &filter, count: count, held: held)
      plant = .linear(motor)
    case .rotating(var motor):
      block.run(&motor, &filter, count: count, held: held)
      plant = .rotating(motor)
    }
  }

  /// The places in a run of steps where the actuator is stuck.
  private func heldSteps(_ steps: Range<Int>) -> [Range<Int>] {
    let factor = setup.oversampling
    let frames = (steps.lowerBound / factor)..<(steps.upperBound / factor + 1)
    return setup.faults.windows(of: .stuck, in: shift(frames, by: frameOffset)).map { window in
      let own = shift(window, by: -frameOffset)
      return shift(
        (own.lowerBound * factor)..<(own.upperBound * factor), by: -steps.lowerBound)
    }
  }
}
