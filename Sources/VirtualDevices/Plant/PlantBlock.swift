/// Room for a run of the plant's steps.
struct PlantBlock: Sendable {
  /// How many steps it holds.
  static let capacity = 1024

  var volts = [Float](repeating: 0, count: capacity)
  var output = [PlantSample](repeating: .zero, count: capacity)
}
