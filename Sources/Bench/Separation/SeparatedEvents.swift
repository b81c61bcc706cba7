/// What each haptic event of a take did by itself, told from all others: of a linear actuator by its waveform
/// (`EventSeparation`), of a motor by its speed (`MotorSeparation`).
protocol SeparatedEvents {
  /// By event.
  var parts: [Int: EventSeparation.Part] { get }
  /// Why an event has no part.
  var reasons: [Int: String] { get }
  /// Whether an event drives the actuator at all.
  func isDriven(_ event: Int) -> Bool
  /// The response of one event alone.
  func response(of event: Int) -> EventSeparation.Response?
  /// When the actuator answered something that no event asked for, in seconds of the pattern; `nil` where the fit
  /// cannot tell.
  func strays() -> [Double]?
  /// What the fit says of the response, and what it leaves over, from a drive frame on, one value each `factor` frames;
  /// `nil` where it is not of samples.
  func traces() -> (first: Int, factor: Int, model: [Double], rest: [Double])?
}

extension EventSeparation: SeparatedEvents {}
