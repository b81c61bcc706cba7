// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import Devices
import Testing
import USBModels
import USBTransport

@testable import USBDevices

/// Every fault on the way to a controller leaves it neutral, where it can be reached.
struct ControllerFaultTests {
  private func breakTake(_ bench: ControllerFixture, seconds: Double = 0.6) -> DeviceError? {
    do throws(DeviceError) {
      try bench.play(seconds: seconds) { _ in 0.5 }
      return nil
    } catch {
      return error
    }
  }

  /// A controller with a fault in the middle of a take: about 150 ms after its start.
  private static func bench(
    _ kind: ControllerKind, _ fault: FakeUSBFault.Kind, isInput: Bool
  ) throws -> ControllerFixture {
    let model = kind.model
    let endpoint = isInput ? type(of: model).input : type(of: model).output
    let transfer = isInput && kind == .dualSense ? 40 : 20
    return try ControllerFixture(
      kind, model: model, faults: [FakeUSBFault(fault, endpoint: endpoint, transfer: transfer)])
  }

  /// Expects that a fault struck while something was driven, and gives when.
  private func struck(_ bench: ControllerFixture) throws -> UInt64 {
    let fault = try #require(bench.bus.lastFault, "no fault struck")
    let before = bench.model.strengths.last { $0.nanoseconds < fault }
    #expect(before?.isNeutral == false, "the fault struck at rest")
    return fault
  }

  @Test(
    arguments: ControllerKind.allCases,
    [
      (FakeUSBFault.Kind.fail, false, DeviceError.Code.stalled), (.fail, true, .stalled),
      (.babble, true, .garbled),
    ])
  func `a fault that leaves the controller reachable brings it to rest within 20 ms`(
    kind: ControllerKind, fault: (FakeUSBFault.Kind, Bool, DeviceError.Code)
  ) throws {
    let bench = try Self.bench(kind, fault.0, isInput: fault.1)
    let error = try #require(breakTake(bench))
    #expect(error.code == fault.2 && error.device == "bench")
    let time = try struck(bench)
    let neutral = try #require(bench.model.neutralSince)
    #expect(neutral <= time + 20_000_000, "\((Double(neutral) - Double(time)) * 1e-6) ms")
    // The controller is usable: the next take goes as if nothing had been.
    #expect(breakTake(bench) == nil)
    #expect(bench.model.neutralSince != nil)
  }

  @Test(arguments: ControllerKind.allCases, [false, true])
  func `one stall is cleared, and the take goes on`(kind: ControllerKind, isInput: Bool) throws {
    let bench = try Self.bench(kind, .stall, isInput: isInput)
    #expect(breakTake(bench) == nil)
    _ = try struck(bench)
    #expect(bench.model.neutralSince != nil)
  }

  @Test(arguments: ControllerKind.allCases)
  func `an output that stalls again and again ends the take, at rest`(
    kind: ControllerKind
  ) throws {
    let model = kind.model
    let bench = try ControllerFixture(
      kind, model: model,
      faults: (20..<23).map {
        FakeUSBFault(.stall, endpoint: type(of: model).output, transfer: $0)
      })
    let error = try #require(breakTake(bench))
    #expect(error.code == .refused)
    let time = try struck(bench)
    let neutral = try #require(model.neutralSince)
    #expect(neutral <= time + 20_000_000, "\((Double(neutral) - Double(time)) * 1e-6) ms")
  }

  @Test(arguments: ControllerKind.allCases)
  func `a controller that takes nothing for a while is waited for`(kind: ControllerKind) throws {
    let bench = try Self.bench(kind, .hold(nanoseconds: 35_000_000), isInput: false)
    #expect(breakTake(bench) == nil)
    #expect(bench.rig.drive?.takeEvents().contains { $0.kind == .underrun } == true)
    #expect(bench.model.neutralSince != nil)
  }

  @Test(arguments: ControllerKind.allCases)
  func `one that takes nothing for seconds is given up, and rest is the first that it takes`(
    kind: ControllerKind
  ) throws {
    let bench = try Self.bench(kind, .hold(nanoseconds: 3_000_000_000), isInput: false)
    let error = try #require(breakTake(bench))
    #expect(error.code == .stalled)
    let time = try struck(bench)
    #expect(bench.now - time < 100_000_000, "\(Double(bench.now - time) * 1e-6) ms")
    #expect(bench.model.neutralSince == nil)
    let count = bench.model.strengths.count
    while bench.now < time + 3_020_000_000 { try bench.bus.serveEvents(microseconds: 1000) }
    #expect(bench.model.strengths.count == count + 1)
    let neutral = try #require(bench.model.neutralSince)
    #expect(neutral >= time + 3_000_000_000)
    // And then it can be used again.
    #expect(breakTake(bench) == nil)
  }

  @Test(arguments: ControllerKind.allCases, [false, true])
  func `an unplug ends the take at once and says that the battery goes on`(
    kind: ControllerKind, isInput: Bool
  ) throws {
    let bench = try Self.bench(kind, .unplug, isInput: isInput)
    let error = try #require(breakTake(bench))
    #expect(error.code == .unplugged)
    #expect(error.message.contains("plug it in again"))
    #expect(error.message.contains("it has a battery"))
    let time = try struck(bench)
    #expect(bench.now - time < 20_000_000, "\(Double(bench.now - time) * 1e-6) ms")
  }

  @Test(arguments: ControllerKind.allCases)
  func `a controller that reports nothing is brought to rest in its time`(
    kind: ControllerKind
  ) throws {
    let bench = try ControllerFixture(kind)
    var silentSince: UInt64 = 0
    let error = #expect(throws: DeviceError.self) {
      try bench.play(
        seconds: 1,
        during: { time in
          guard time >= 0.2, silentSince == 0 else { return }
          bench.model.fallSilent()
          silentSince = bench.now
        }, envelope: { _ in 0.5 })
    }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("reported no motion for 0.25 s") == true)
    let neutral = try #require(bench.model.neutralSince)
    #expect(neutral > silentSince && neutral - silentSince < 300_000_000)
  }

  @Test(arguments: ControllerKind.allCases, [FakeUSBFault.Kind.shorten(to: 20), .lose])
  func `a report that is cut or lost is a drop, and the drive goes on`(
    kind: ControllerKind, fault: FakeUSBFault.Kind
  ) throws {
    let bench = try Self.bench(kind, fault, isInput: true)
    let heard = try bench.play(seconds: 0.6) { _ in 0.5 }
    #expect(heard.count == 4800)
    let events = try #require(bench.rig.sensors).takeEvents()
    let event = try #require(events.first)
    #expect(events.count == 1 && event.kind == .drop)
    let gap = kind == .dualSense ? 0.008 : 0.020
    #expect(abs(Double(event.length) / ControllerFixture.rate - gap) < 0.001, "\(event.length)")
    #expect(heard[event.frames].allSatisfy { $0 == 0 })
    #expect(bench.model.neutralSince != nil)
  }

  @Test(arguments: ControllerKind.allCases)
  func `a report that comes twice says nothing twice`(kind: ControllerKind) throws {
    let bench = try Self.bench(kind, .duplicate, isInput: true)
    #expect(try bench.play(seconds: 0.6) { _ in 0.5 }.count == 4800)
    #expect(bench.rig.sensors?.takeEvents() == [])
  }

  @Test(arguments: ControllerKind.allCases)
  func `of two of a kind the place says which`(kind: ControllerKind) throws {
    let bus = FakeUSBBus()
    // Switch controllers all tell the same serial number.
    let models = [kind.model, kind.model]
    for (port, model) in models.enumerated() { bus.plug(model, port: UInt8(port + 1)) }
    func open(_ selection: USBSelection) throws -> USBRig {
      let rig = ControllerFixture.description(kind.driver, selection: selection)
      let device = try #require(rig.capture.usb)
      return try USBRig(rig, device: device, on: bus)
    }
    let serial = models[0].record.serial
    for selection in [USBSelection(), USBSelection(serial: serial)] {
      let error = #expect(throws: DeviceError.self) { _ = try open(selection) }
      #expect(error?.code == .refused)
      #expect(error?.message.contains("port 1-1") == true)
      #expect(error?.message.contains("port 1-2") == true)
    }
    let rig = try open(USBSelection(port: "1-2"))
    let drive = try #require(rig.drive)
    try drive.start()
    let block = [Float](repeating: 0.5, count: 512)
    for _ in 0..<2 { _ = try drive.write(block.span) }
    #expect(models[0].strengths.allSatisfy { $0.isNeutral })
    #expect(models[1].strengths.contains { !$0.isNeutral })
  }

  @Test(arguments: ControllerKind.allCases)
  func `a controller in use names who holds it, and one without permission the rule`(
    kind: ControllerKind
  ) throws {
    let busy = #expect(throws: DeviceError.self) {
      _ = try ControllerFixture(kind, guarded: .claimed)
    }
    #expect(busy?.code == .busy)
    let denied = #expect(throws: DeviceError.self) {
      _ = try ControllerFixture(kind, guarded: .denied)
    }
    #expect(denied?.code == .denied)
    #expect(denied?.message.contains("SUBSYSTEM==\"usb\"") == true)
  }

  @Test(arguments: ControllerKind.allCases)
  func `the kernel's driver waits until the rig is let go of`(kind: ControllerKind) throws {
    var bench: ControllerFixture? = try ControllerFixture(kind)
    let bus = try #require(bench?.bus)
    #expect(bus.use.detached == 1)
    bench = nil
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test(arguments: ControllerKind.allCases)
  func `what has neither a left nor a right actuator is refused`(kind: ControllerKind) throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try ControllerFixture(kind, channel: 3)
    }
    #expect(error?.message.contains("a left and a right actuator") == true)
  }
}
