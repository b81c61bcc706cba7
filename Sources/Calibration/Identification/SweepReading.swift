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
  /// The model that fits it; all sweeps of two modes have them in one order.
  var model: ModalModel
  /// How far the mass of each mode went.
  let motions: [PassingMotion]
  /// The highest acceleration, in m/s2.
  let peak: Double
  /// When it was played, in seconds of drive since the calibration began.
  var time = 0.0
  /// The share of the record that neither the model nor noise explains.
  let disturbance: SweepDisturbance

  /// The strongest mode at small signal.
  var mode: ModalModel.Mode { model.mode }
}
