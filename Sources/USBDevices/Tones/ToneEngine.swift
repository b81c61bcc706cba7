import Devices

/// Plays frames on a device that takes tones and feels nothing: one take after another.
struct ToneEngine<Device: ToneDevice & ~Copyable>: TakeEngine, ~Copyable {
  let rig: String
  let shared: TakeShared
  private(set) var isRunning = false

  private var device: Device
  private var player: TonePlayer

  /// Takes a device that is open and at zero.
  init(
    _ device: consuming Device, rig: RigDescription, interval: Double, shared: TakeShared,
    drive: consuming SampleConsumer
  ) {
    self.device = device
    self.rig = rig.name
    self.shared = shared
    player = TonePlayer(rig, interval: interval, shared: shared, drive: drive)
  }

  var drives: Bool { true }

  var latency: (output: JitterHistogram, input: JitterHistogram) { device.latency }

  var polling: USBPolling { device.polling }

  var clockRate: StreamStatistics.ClockRate? { nil }

  /// Makes the output ready; frame 0 is now.
  mutating func begin() throws(DeviceError) {
    try device.begin()
    player.begin(at: device.now)
    isRunning = true
  }

  mutating func step(microseconds: Int) throws(DeviceError) {
    try player.step(&device, microseconds: microseconds)
  }

  /// Ends the take: the output is off.
  mutating func end() throws(DeviceError) {
    guard isRunning else { return }
    isRunning = false
    drainDrive()
    try device.end()
  }

  mutating func shutOff() -> Bool {
    isRunning = false
    drainDrive()
    return device.shutOff()
  }

  mutating func drainDrive() { player.drain() }
}
