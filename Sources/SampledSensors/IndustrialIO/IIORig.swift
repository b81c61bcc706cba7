package import Devices
import Units

package struct IIORig: Sendable {
  package let sensors: SampledSensors

  /// Opens the sensor that a rig's capture names, and waits for a first sample.
  package init(
    _ rig: RigDescription, files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    try self.init(rig, files: files, access: files)
  }

  init(
    _ rig: RigDescription, files: SystemFiles, access: any IIOAccess
  ) throws(DeviceError) {
    guard let wanted = rig.capture.iio else {
      throw rig.error(
        .refused, "the capture is of kind \(rig.capture.kind.rawValue), not iio")
    }
    let device = try Self.device(wanted.sensor, rig: rig.name, among: files.iioDevices())
    let axes = try rig.capture.channels.map { channel throws(DeviceError) in
      try Self.axis(of: channel, on: device, rig: rig.name)
    }
    let settings = IIOSettings(
      rig: rig.name, device: device, description: wanted, axes: axes, files: files,
      access: access)
    let buffer = try IIOBuffer(settings)
    let inScan = buffer.layout.channels.map(\.name).filter { $0 != "timestamp" }
    let setup = SampledSetup(
      rig: rig.name, sensor: device.summary, sampleRate: buffer.sampleRate,
      frameRate: rig.drive.rate,
      fields: (device.hasTimestamp ? [.counter(bits: 32)] : []) + inScan.indices.map { .axis($0) },
      axes: axes.map { axis in inScan.firstIndex(of: "accel_\(axis)") ?? 0 },
      scales: rig.capture.channels.map { 1 / ($0.sensor?.sensitivity ?? 1) },
      timeout: wanted.timeout, advice: .iio)
    defer { buffer.stop() }
    try buffer.restart()
    try setup.awaitSample(of: buffer)
    sensors = SampledSensors(
      buffer, setup: setup, channels: rig.capture.channels.map(\.port),
      periodFrames: rig.drive.periodFrames)
  }

  private static func device(
    _ word: String, rig: String, among devices: [IIODevice]
  ) throws(DeviceError) -> IIODevice {
    let meant = devices.filter { $0.isMeant(by: word) }
    if meant.count == 1, let device = meant.first { return device }
    let there = devices.map(\.summary).joined(separator: ", ")
    guard meant.isEmpty else {
      throw DeviceError(
        .refused, device: rig,
        message: "'\(word)' is the name of several sensors: write one of "
          + meant.map { "'sensor: \($0.node)'" }.joined(separator: ", "))
    }
    throw DeviceError(
      .notFound, device: rig,
      message: devices.isEmpty
        ? "there is no accelerometer with a buffer on this computer: load its driver, or plug it in"
        : "there is no sensor '\(word)': correct 'sensor' (there is \(there))")
  }

  private static func axis(
    of channel: CaptureChannelDescription, on device: IIODevice, rig: String
  ) throws(DeviceError) -> String {
    let axes = ["x", "y", "z"]
    guard axes.indices.contains(channel.input - 1), device.axes.contains(axes[channel.input - 1])
    else {
      throw DeviceError(
        .refused, device: rig,
        message:
          "\(device.summary) has no axis for input \(channel.input) of channel '\(channel.name)': inputs 1, "
          + "2, 3 are x, y, z, and it has \(device.axes.joined(separator: ", "))")
    }
    return axes[channel.input - 1]
  }
}
