/// What a simulated rig injected in its latest take: what a measurement of it should find.
public struct SimulationTruth: Sendable, Equatable {
  /// From a drive frame to the reference as captured at time 0, both jitters included, in seconds.
  public let electricalDelay: Double
  /// From the force to the sensor, the sensor's own delay apart, in seconds.
  public let transportDelay: Double
  /// From an audio drive frame to the audio as captured at time 0, in seconds.
  public let audioDelay: Double
  /// How much faster the capture's clock runs than the drive's, in parts per million.
  public let driftPPM: Double
  /// What this take's drive converter added to its latency, in seconds.
  public let driveJitter: Double
  /// What this take's capture converter added to its latency, in seconds.
  public let captureJitter: Double
}
