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
    _ plant: inout some SimulatedPlant, _ filters: inout SensorFilters, count: Int,
    held: [Range<Int>]
  ) {
    plant.run(
      volts, count: count, &filters, held: held, along: &along, across: &across,
      current: &current)
  }
}

/// The sensor's filter along the actuator's axis and across it.
struct SensorFilters: Sendable {
  var along: SensorFilter
  var across: SensorFilter

  /// Makes filters at rest.
  init(bandwidth: Double, step: Double) {
    along = SensorFilter(bandwidth: bandwidth, step: step)
    across = along
  }
}

extension SimulatedPlant {
  /// Goes one step on by each of the first `count` voltages; what the sensor shows then, and the current, fill the blocks.
  fileprivate mutating func run(
    _ volts: [Float], count: Int, _ filters: inout SensorFilters, held: [Range<Int>],
    along: inout [Float], across: inout [Float], current: inout [Float]
  ) {
    let everHeld = !held.isEmpty
    // Copies that stay in registers.
    var (plant, sensors) = (self, filters)
    var along = along.mutableSpan
    var across = across.mutableSpan
    var current = current.mutableSpan
    let volts = volts.span
    for place in 0..<count {
      plant.step(
        volts: Double(volts[place]), held: everHeld && held.contains { $0.contains(place) })
      let acceleration = plant.acceleration
      sensors.along.advance(acceleration.x)
      along[place] = Float(sensors.along.output)
      if Self.movesAcross {
        sensors.across.advance(acceleration.y)
        across[place] = Float(sensors.across.output)
      }
      current[place] = Float(plant.current)
    }
    (self, filters) = (plant, sensors)
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
      runPlant(count: count, held: heldSteps(nextStep..<(nextStep + count)))
      along.append(block.along, count: count)
      if setup.movesAcross { across.append(block.across, count: count) }
      if setup.measures(.voltage) { volts.append(block.volts, count: count) }
      if setup.measures(.current) { current.append(block.current, count: count) }
      nextStep += count
    }
  }

  private mutating func runPlant(count: Int, held: [Range<Int>]) {
    switch plant {
    case .linear(var motor):
      block.run(&motor, &filters, count: count, held: held)
      plant = .linear(motor)
    case .rotating(var motor):
      block.run(&motor, &filters, count: count, held: held)
      plant = .rotating(motor)
    }
  }

  /// The places in a run of steps where the actuator is stuck.
  private func heldSteps(_ steps: Range<Int>) -> [Range<Int>] {
    guard !setup.faults.isEmpty else { return [] }
    let factor = setup.oversampling
    let frames = (steps.lowerBound / factor)..<(steps.upperBound / factor + 1)
    return setup.faults.windows(of: .stuck, in: shift(frames, by: frameOffset)).map { window in
      let own = shift(window, by: -frameOffset)
      return shift(
        (own.lowerBound * factor)..<(own.upperBound * factor), by: -steps.lowerBound)
    }
  }
}
