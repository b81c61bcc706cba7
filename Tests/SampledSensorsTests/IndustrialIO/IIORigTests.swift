// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Glibc
import Testing
import Units

@testable import SampledSensors

struct IIORigTests {
  private func rig(
    _ iio: IIODescription = IIODescription(sensor: "adxl99"), inputs: [Int] = [3, 2]
  ) -> RigDescription {
    .sampled(.iio, inputs: inputs, iio: iio)
  }

  /// Scans of 500 a second with y and z, the latest of them now.
  private func scans(_ count: Int, until end: UInt64 = hostNanoseconds()) -> [[UInt8]] {
    (0..<count).map { scan([-10, 4], at: end - UInt64(count - 1 - $0) * 2_000_000) }
  }

  /// A rig on a sensor that has said something.
  private func open(
    _ kernel: KernelModel, _ iio: IIODescription = IIODescription(sensor: "adxl99"),
    inputs: [Int] = [3, 2]
  ) throws -> IIORig {
    kernel.give(scans(40))
    return try IIORig(rig(iio, inputs: inputs), files: kernel.files, access: kernel)
  }

  private func refusal(
    _ kernel: KernelModel, _ iio: IIODescription = IIODescription(sensor: "adxl99"),
    inputs: [Int] = [3, 2]
  ) -> DeviceError? {
    let before = kernel.settings
    let error = #expect(throws: DeviceError.self) { _ = try open(kernel, iio, inputs: inputs) }
    // Whatever was refused, nothing stays changed.
    #expect(kernel.settings == before)
    return error
  }

  @Test func `a sensor is set in the kernel's order, turned off, and is as it was at the end`()
    throws
  {
    let kernel = try KernelModel()
    let before = kernel.settings
    try withExtendedLifetime(
      open(
        kernel, IIODescription(sensor: "adxl99", trigger: "adxl99-dev0", samplingFrequency: 1000))
    ) { rig in
      #expect(rig.sensors.channels.map(\.name) == ["axis3", "axis2"])
      #expect(
        kernel.written == [
          "trigger/current_trigger=adxl99-dev0", "sampling_frequency=1000",
          "current_timestamp_clock=monotonic_raw", "scan_elements/in_accel_y_en=1",
          "scan_elements/in_accel_z_en=1", "scan_elements/in_temp_en=0",
          "scan_elements/in_timestamp_en=1", "buffer/length=1000", "buffer/watermark=10",
          "buffer/enable=1", "buffer/enable=0",
        ])
      #expect(kernel.settings != before)
    }
    #expect(kernel.settings == before)
    #expect(kernel.written.last == "trigger/current_trigger=")
  }

  private func read(_ sensors: SampledSensors, frames: Int) throws -> [Float] {
    var all: [Float] = []
    var block = [Float](repeating: -1, count: 1024)
    while all.count < frames * sensors.format.channelCount {
      var span = block.mutableSpan
      let count = try sensors.read(into: &span)
      all += block[..<(count * sensors.format.channelCount)]
    }
    return all
  }

  @Test func `frames lie where the stamps say, however late the samples are read`() throws {
    let kernel = try KernelModel()
    let sensors = try open(kernel, inputs: [2, 3]).sensors
    try sensors.start()
    #expect(kernel.value("buffer/enable") == "1")
    // Two seconds of a ramp of 0.05 m/s2 a sample on z, all at once; the drive began 501 ms after its first.
    let first = hostNanoseconds() - 2_100_000_000
    kernel.give((0..<1000).map { scan([-10, Int16($0 / 10)], at: first + UInt64($0) * 2_000_000) })
    sensors.follow(
      frames: 8000, clock: ClockReading(frame: 80, nanoseconds: first + 511_000_000))
    sensors.endDrive()
    let all = try read(sensors, frames: 8000)
    #expect(sensors.takeEvents().isEmpty)
    for frame in stride(from: 0, to: 8000, by: 7) {
      // Steps of 0.5 m/s2 every tenth sample: the ramp within a step of rounding and the ringing at it.
      let sample = 250.5 + Double(frame) / 16
      #expect(abs(Double(all[2 * frame + 1]) - (sample / 10 - 0.45) * 0.5) < 0.35, "frame \(frame)")
      // (-10 + 10) steps of 0.5 m/s2.
      #expect(abs(all[2 * frame]) < 1e-6)
    }
    try sensors.stop()
    #expect(kernel.value("buffer/enable") == "0")
  }

  @Test func `scans that the kernel had no room for are a drop of their frames`() throws {
    let kernel = try KernelModel()
    let sensors = try open(kernel).sensors
    try sensors.start()
    let first = hostNanoseconds() - 2_100_000_000
    let lost = 500..<560
    kernel.give(
      (0..<1000).filter { !lost.contains($0) }.map {
        scan([0, 4], at: first + UInt64($0) * 2_000_000)
      })
    sensors.follow(frames: 12_000, clock: ClockReading(frame: 0, nanoseconds: first))
    sensors.endDrive()
    let all = try read(sensors, frames: 12_000)
    let events = sensors.takeEvents()
    #expect(events.map(\.kind) == [.drop])
    let drop = try #require(events.first)
    // Frames between sample 499 and sample 560, 16 a sample.
    #expect(abs(drop.frames.lowerBound - 499 * 16) <= 2)
    #expect(abs(drop.frames.upperBound - 560 * 16) <= 2)
    for frame in drop.frames { #expect(all[2 * frame] == 0) }
    #expect(abs(all[2 * (drop.frames.upperBound + 40)] - 2) < 1e-3)
    try sensors.stop()
  }

  @Test func `a sensor without time stamps is counted`() throws {
    let kernel = try KernelModel(hasTimestamp: false)
    kernel.give((0..<40).map { _ in scan([0, 4]) })
    let sensors = try IIORig(rig(), files: kernel.files, access: kernel).sensors
    try sensors.start()
    kernel.give((0..<400).map { _ in scan([0, 4]) })
    // Laid by when they came, all at once: half a second before now is the midst of them.
    let start = hostNanoseconds() - 500_000_000
    sensors.follow(frames: 1600, clock: ClockReading(frame: 0, nanoseconds: start))
    sensors.endDrive()
    let all = try read(sensors, frames: 1600)
    #expect(sensors.takeEvents().isEmpty)
    #expect(all.indices.allSatisfy { abs(all[$0] - ($0.isMultiple(of: 2) ? 2 : 5)) < 1e-3 })
    try sensors.stop()
  }

  @Test func `a full buffer without time stamps ends the take, since nothing counts what is lost`()
    throws
  {
    let kernel = try KernelModel(hasTimestamp: false)
    kernel.give([scan([0, 4])])
    let sensors = try IIORig(rig(), files: kernel.files, access: kernel).sensors
    kernel.give((0..<600).map { _ in scan([0, 4]) })
    try sensors.start()
    sensors.follow(frames: 1600, clock: nil)
    sensors.endDrive()
    let error = #expect(throws: DeviceError.self) { _ = try read(sensors, frames: 1600) }
    #expect(error?.code == .garbled)
    #expect(error?.message.contains("buffer of 500 samples was full") == true)
    #expect(kernel.value("buffer/enable") == "0")
  }

  @Test func `an unplug ends the take and turns the buffer off`() throws {
    let kernel = try KernelModel()
    let sensors = try open(kernel).sensors
    try sensors.start()
    kernel.give(scans(40))
    sensors.follow(frames: 100_000, clock: nil)
    sensors.endDrive()
    kernel.unplug()
    let error = #expect(throws: DeviceError.self) { _ = try read(sensors, frames: 100_000) }
    #expect(error?.code == .unplugged)
    #expect(error?.message == "adxl99 (iio:device0) is gone: plug it in again")
    #expect(kernel.value("buffer/enable") == "0")
  }

  @Test func `a trigger that stops ends the take with the buffer off, and the next take works`()
    throws
  {
    let kernel = try KernelModel()
    let sensors = try open(kernel, IIODescription(sensor: "adxl99", timeout: 0.5)).sensors
    try sensors.start()
    sensors.follow(frames: 100, clock: nil)
    sensors.endDrive()
    let error = #expect(throws: DeviceError.self) { _ = try read(sensors, frames: 100) }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("its trigger does not fire") == true)
    #expect(kernel.value("buffer/enable") == "0")
    try sensors.start()
    let now = hostNanoseconds()
    kernel.give(scans(200, until: now))
    sensors.follow(frames: 100, clock: ClockReading(frame: 0, nanoseconds: now - 300_000_000))
    sensors.endDrive()
    #expect(try read(sensors, frames: 100).count == 200)
    try sensors.stop()
  }

  @Test func `a sensor that says nothing is refused within its time, and is as it was`() throws {
    let kernel = try KernelModel()
    let before = kernel.settings
    let error = #expect(throws: DeviceError.self) {
      _ = try IIORig(
        rig(IIODescription(sensor: "adxl99", timeout: 0.05)), files: kernel.files, access: kernel)
    }
    #expect(error?.code == .stalled)
    #expect(kernel.settings == before)
  }

  @Test func `a sensor's own trigger is taken where it needs one, and given back`() throws {
    let kernel = try KernelModel(rules: .init(needsTrigger: true))
    try withExtendedLifetime(open(kernel)) { _ in
      #expect(kernel.value("trigger/current_trigger") == "adxl99-dev0")
    }
    #expect(kernel.value("trigger/current_trigger")?.isEmpty == true)
  }

  @Test func `a timer's rate is the sensor's`() throws {
    let kernel = try KernelModel()
    try withExtendedLifetime(open(kernel, IIODescription(sensor: "adxl99", trigger: "timer"))) {
      _ in
      // 100 a second of the timer, 500 of the sensor's own: room for a second, but 128 at least.
      #expect(kernel.value("buffer/length") == "128")
    }
  }

  @Test func `a sensor without a trigger of its own says how to have one`() throws {
    let kernel = try KernelModel(rules: .init(needsTrigger: true))
    try kernel.put(nil, at: "../trigger0/name")
    let error = refusal(kernel)
    #expect(error?.code == .refused)
    #expect(error?.message.contains("has no trigger, and none of its own") == true)
    #expect(error?.message.contains("there is timer") == true)
  }

  @Test func `what a rig file asks for and the sensor has not is refused with what there is`()
    throws
  {
    let kernel = try KernelModel()
    let trigger = refusal(kernel, IIODescription(sensor: "adxl99", trigger: "none"))
    #expect(trigger?.message.contains("there is no trigger 'none'") == true)
    #expect(trigger?.message.contains("there is adxl99-dev0, timer") == true)
    let frequency = refusal(kernel, IIODescription(sensor: "adxl99", samplingFrequency: 800))
    #expect(frequency?.message.contains("it offers 250 500 1000") == true)
    let axis = refusal(kernel, inputs: [3, 4])
    #expect(axis?.message.contains("has no axis for input 4 of channel 'axis4'") == true)
    let absent = refusal(kernel, IIODescription(sensor: "lis3dh"))
    #expect(absent?.code == .notFound)
    #expect(absent?.message.contains("(there is adxl99 (iio:device0))") == true)
    try kernel.put(nil, at: "sampling_frequency")
    let silent = refusal(kernel)
    #expect(silent?.message.contains("write 'sample-rate' in the rig file") == true)
  }

  @Test func `two sensors of a name are refused with the choices, and each is one`() throws {
    let kernel = try KernelModel()
    try kernel.addTwin()
    let error = refusal(kernel)
    #expect(
      error?.message.contains("write one of 'sensor: iio:device0', 'sensor: iio:device1'") == true)
    _ = try open(kernel, IIODescription(sensor: "iio:device0"))
  }

  @Test(arguments: [
    "/dev/iio:device0", "/sys/bus/iio/devices/iio:device0/buffer/enable",
    "/sys/bus/iio/devices/iio:device0/scan_elements/in_accel_z_en",
    "/sys/bus/iio/devices/iio:device0/buffer/length",
  ])
  func `no permission names the file and what to do`(path: String) throws {
    let kernel = try KernelModel(rules: .init(refusals: [path: EACCES]))
    let error = refusal(kernel)
    #expect(error?.code == .denied)
    #expect(error?.message.contains("'\(path)': no permission: run 'make install-udev'") == true)
  }

  @Test(arguments: [
    "/dev/iio:device0", "/sys/bus/iio/devices/iio:device0/buffer/enable",
    "/sys/bus/iio/devices/iio:device0/scan_elements/in_accel_y_en",
  ])
  func `a buffer in use is told`(path: String) throws {
    let kernel = try KernelModel(rules: .init(refusals: [path: EBUSY]))
    let error = refusal(kernel)
    #expect(error?.code == .busy)
    #expect(error?.message.contains("in use") == true)
    #expect(error?.errno == EBUSY)
  }

  @Test func `a buffer that somebody left on is not taken`() throws {
    let kernel = try KernelModel()
    try kernel.put("1", at: "buffer/enable")
    let error = refusal(kernel)
    #expect(error?.code == .busy)
    #expect(error?.message.contains("write 0 to '/\(KernelModel.enable)'") == true)
    #expect(kernel.value("buffer/enable") == "1")
  }

  @Test func `an element that is gone, wrong or stays off is told by its file`() throws {
    let stuck = try KernelModel(rules: .init(stuckElement: "scan_elements/in_accel_z_en"))
    #expect(refusal(stuck)?.message.contains("in_accel_z_en' stays 0") == true)
    let kernel = try KernelModel()
    try kernel.put("le:s12/16", at: "scan_elements/in_accel_z_type")
    #expect(refusal(kernel)?.message.contains("in_accel_z_type': IIO type") == true)
    try kernel.put(nil, at: "scan_elements/in_accel_z_index")
    #expect(refusal(kernel)?.message.contains("how in_accel_z lies in a scan") == true)
    let bare = try KernelModel()
    try bare.put("0", at: "in_accel_scale")
    #expect(refusal(bare)?.message.contains("has no scale of in_accel_z") == true)
  }

  @Test func `a device that goes while it is set is unplugged`() throws {
    let path = "/sys/bus/iio/devices/iio:device0/scan_elements/in_accel_z_en"
    let kernel = try KernelModel(rules: .init(refusals: [path: ENODEV]))
    #expect(refusal(kernel)?.code == .unplugged)
  }

  @Test func `sensors with a buffer are listed, and what may not be used`() throws {
    let kernel = try KernelModel()
    let devices = kernel.files.iioDevices()
    #expect(devices.map(\.name) == ["adxl99"])
    #expect(devices.first?.axes == ["x", "y", "z"])
    #expect(devices.first?.hasTimestamp == true)
    #expect(devices.first?.samplingFrequency == 500)
    #expect(devices.first?.forbidden == nil)
  }
}
