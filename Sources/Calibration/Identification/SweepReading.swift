import SignalAnalysis

/// What one sweep told.
struct SweepReading: Sendable, Equatable {
  /// The segment it was part of.
  let segment: Int
  /// The highest voltage of the sweep.
  let level: Double
  /// Which way it ran.
  let direction: SynchronizedSweep.Direction
  /// Response and harmonics.
  let response: SweepResponse
  /// The model that fits it.
  let model: ModalModel
  /// The highest acceleration, in m/s2.
  let peak: Double
  /// The share of the record that neither the model nor noise explains.
  let disturbance: SweepDisturbance

  /// The strongest mode.
  var mode: ModalModel.Mode { model.mode }
}
