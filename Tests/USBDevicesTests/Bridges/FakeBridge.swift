// SPDX-License-Identifier: Apache-2.0

import Devices
import USBModels
import USBTransport

@testable import USBDevices

extension USBBridge {
  static var identity: USBSelection.Identity {
    USBSelection.Identity(vendor: known.vendor, product: known.product ?? 0)
  }
}

/// A bridge's far side on a bus in this process, with a DRV2605L that remembers what it drove and when.
final class FakeBridge<Model: ModelBridge & Sendable>: FakeUSBDevice {
  private struct State: Sendable {
    var model = Model()
    var outbox: [[UInt8]] = []
    var moments: [DrivenMoment] = []
    /// Packets that came from the host.
    var packets = 0
    /// Answers from this one on stay away.
    var silentFrom: Int?
    /// The first answer from this packet on is wrong.
    var wrong: Int?
    /// The first answer from this packet on comes so much later.
    var late: (packet: Int, nanoseconds: UInt64)?
    var heldBack: [(at: UInt64, packet: [UInt8])] = []
  }

  private let state = Guarded(State())
  let record: USBDeviceRecord
  private let isBulk: Bool

  init(
    identity: USBSelection.Identity, isBulk: Bool, serial: String = "B-1",
    silentFrom: Int? = nil, wrong: Int? = nil, late: (packet: Int, nanoseconds: UInt64)? = nil
  ) {
    self.isBulk = isBulk
    let kind: UInt8 = isBulk ? 2 : 3
    let size: [UInt8] = isBulk ? [0x00, 0x02] : [64, 0]
    // The MCP2221A's own layout: a serial port before the HID interface is left out.
    let bytes: [UInt8] =
      [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, UInt8(identity.vendor & 0xff), UInt8(identity.vendor >> 8),
        UInt8(identity.product & 0xff), UInt8(identity.product >> 8), 0, 1, 1, 2, 3, 1, 9, 2, 32, 0,
        1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, isBulk ? 255 : 3, 0, 0, 0, 7, 5, 0x03, kind,
      ] + size + [isBulk ? 0 : 1, 7, 5, 0x83, kind] + size + [isBulk ? 0 : 1]
    record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: identity.vendor,
      product: identity.product, descriptorBytes: bytes, productName: "bridge", serial: serial,
      megabits: isBulk ? 480 : 12)
    state.withLock {
      $0.silentFrom = silentFrom
      $0.wrong = wrong
      $0.late = late
    }
  }

  /// What the output did, change by change.
  var moments: [DrivenMoment] { state.withLock { $0.moments } }

  /// Packets that came from the host.
  var packets: Int { state.withLock { $0.packets } }

  func withChip<Result: Sendable>(_ body: (inout ModelDRV2605L) -> Result) -> Result {
    state.withLock { body(&$0.model.chip) }
  }

  /// Answers no more from now on.
  func fallSilent() { state.withLock { $0.silentFrom = $0.packets } }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? {
    let transfer: BridgeTransfer =
      request.type == 0x21
      ? .feature(bytes)
      : .control(request: request.request, value: request.value, index: request.index)
    state.withLock { state in
      _ = state.model.take([transfer])
      Self.note(&state, at: nanoseconds)
    }
    return bytes.count
  }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    state.withLock { state in
      let answers = state.model.take([isBulk ? .bulk(copy) : .report(copy)])
      let packet = state.packets
      state.packets += 1
      Self.note(&state, at: nanoseconds)
      if let silent = state.silentFrom, packet >= silent { return }
      for var answer in answers {
        if let wrong = state.wrong, packet >= wrong {
          answer[isBulk ? 1 : 0] ^= 0xff
          state.wrong = nil
        }
        if let late = state.late, packet >= late.packet {
          state.heldBack.append((nanoseconds + late.nanoseconds, answer))
          state.late = nil
        } else {
          state.outbox.append(answer)
        }
      }
    }
    return true
  }

  func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let packet = state.withLock { state -> [UInt8]? in
      if let held = state.heldBack.firstIndex(where: { $0.at <= nanoseconds }) {
        state.outbox.insert(state.heldBack.remove(at: held).packet, at: 0)
      }
      return state.outbox.isEmpty ? nil : state.outbox.removeFirst()
    }
    guard let packet else { return nil }
    for index in 0..<min(packet.count, bytes.count) { bytes[index] = packet[index] }
    return packet.count
  }

  private static func note(_ state: inout State, at nanoseconds: UInt64) {
    let chip = state.model.chip
    let amplitude = chip.isDriving ? chip[.realTimePlayback] : 0
    let last = state.moments.last
    guard chip.isDriving != (last?.isDriving ?? false) || amplitude != (last?.amplitude ?? 0) else {
      return
    }
    state.moments.append(
      DrivenMoment(nanoseconds: nanoseconds, isDriving: chip.isDriving, amplitude: amplitude))
  }
}
