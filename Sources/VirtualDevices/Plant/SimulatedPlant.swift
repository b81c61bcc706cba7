import Devices

/// An actuator as a law of motion, with the sensor on its mount, advanced by equal steps.
protocol SimulatedPlant: Sendable {
  /// How many steps the voltages given are ahead of the state that follows from them.
  static var lookahead: Int { get }

  /// Goes `count` steps on; each voltage is that of `lookahead` steps after its step's end.
  ///
  /// An actuator does not move in the steps that are `held`.
  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample])
}

struct PlantSample: Sendable {
  /// The acceleration of the mount that the sensor shows along the actuator's axis, in m/s2.
  var along: Float
  /// The same across it.
  var across: Float
  var current: Float

  static let zero = PlantSample(along: 0, across: 0, current: 0)
}

struct PlantBlock: Sendable {
  static let capacity = 1024

  var volts = [Float](repeating: 0, count: capacity)
  var output = [PlantSample](repeating: .zero, count: capacity)
}

/// The actuator of a take, of either kind.
///
/// Not an enumeration, whose payload would be copied out and back for every run.
struct Plant: Sendable {
  private var linear: LinearPlant?
  private var rotating: RotatingPlant?
  let lookahead: Int

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

  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample]
  ) {
    linear?.run(volts, count: count, held: held, into: &output)
    rotating?.run(volts, count: count, held: held, into: &output)
  }
}
