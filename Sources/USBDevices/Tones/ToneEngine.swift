import Devices

/// Plays frames on a device that takes tones and feels nothing: one take after another.
struct ToneEngine<Device: ToneDevice & ~Copyable>: TakeEngine, ~Copyable {
  let rig: String
  let shared: TakeShared
  private var player: TonePlayer<Device>

  /// Takes a device that is open and at zero.
  init(
    _ device: consuming Device, rig: RigDescription, interval: Double, shared: TakeShared,
    drive: consuming DriveReader
  ) {
    self.rig = rig.name
    self.shared = shared
    player = TonePlayer(device, of: rig, interval: interval, shared: shared, drive: drive)
  }

  var drives: Bool { true }

  var isRunning: Bool { player.isRunning }

  var latency: (output: JitterHistogram, input: JitterHistogram) { player.device.latency }

  var polling: USBPolling { player.device.polling }

  var clockRate: StreamStatistics.ClockRate? { nil }

  mutating func begin() throws(DeviceError) { try player.begin() }

  mutating func step(microseconds: Int) throws(DeviceError) {
    try player.step(microseconds: microseconds)
  }

  mutating func end() throws(DeviceError) { try player.end() }

  mutating func shutOff() -> Bool { player.shutOff() }

  mutating func drainDrive() { player.drain() }
}
