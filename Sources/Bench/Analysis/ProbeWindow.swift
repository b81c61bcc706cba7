/// The stretch of a take that the probe was played in.
struct ProbeWindow {
  /// What was sent, in volts, on the capture's frames.
  let drive: [Float]
  /// What was captured, without its offset.
  let motion: [Float]
}
