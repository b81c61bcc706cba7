import Profiles
import SignalAnalysis

extension ModalModel {
  /// A profile's model as a fit has it, its modes in their order; nil without modes.
  init?(_ model: ActuatorModel) {
    guard !model.modes.isEmpty else { return nil }
    self.init(
      delay: model.delay.map { Estimate($0) } ?? Estimate(0, uncertainty: 0),
      modes: model.modes.map {
        Mode(frequency: Estimate($0.f0), q: Estimate($0.q), gain: Estimate($0.gain))
      }, coupling: model.coupling.map { Estimate($0) } ?? Estimate(0, uncertainty: 0))
  }
}

extension Estimate {
  fileprivate init(_ quantity: MeasuredQuantity) {
    self.init(quantity.value, uncertainty: quantity.uncertainty)
  }
}
