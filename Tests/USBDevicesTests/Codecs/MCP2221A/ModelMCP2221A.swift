// SPDX-License-Identifier: Apache-2.0

import USBDevices

/// An MCP2221A by its data sheet: one reply a report, an engine that needs a few polls.
struct ModelMCP2221A: ModelBridge {
  var chip = ModelDRV2605L()
  var delay = 2
  private var engine: UInt8 = 0
  private var target: UInt8 = 0
  private var left = 0
  private var after: UInt8 = 0
  private var pointer: UInt8 = 0
  private var data: [UInt8] = []
  private(set) var divider: UInt8 = 0

  mutating func take(_ transfers: [BridgeTransfer]) -> [[UInt8]] {
    transfers.compactMap { transfer in
      guard case .report(let report) = transfer, report.count == 64 else { return nil }
      return answer(report)
    }
  }

  private mutating func answer(_ report: [UInt8]) -> [UInt8] {
    var reply = [UInt8](repeating: 0, count: 64)
    reply[0] = report[0]
    let count = Int(report[1]) | Int(report[2]) << 8
    switch report[0] {
    case 0x10:
      if report[2] == 0x10 {
        engine = 0
        left = 0
        after = 0
        reply[2] = 0x10
      }
      if report[3] == 0x20 {
        divider = report[4]
        reply[3] = 0x20
      }
      if left > 0 { left -= 1 } else { engine = after }
      reply[8] = engine
      reply[20] = engine == 0x25 ? 0x40 : 0
      reply[22] = 1
      reply[23] = 1
    case 0x90, 0x94:
      guard engine == 0 else {
        reply[1] = 1
        reply[2] = engine
        return reply
      }
      let bytes = Array(report[4..<(4 + count)])
      let heard = chip.write(report[3] >> 1, bytes)
      pointer = bytes.first ?? 0
      engine = 0x41
      left = delay
      after = heard ? (report[0] == 0x94 ? 0x45 : 0) : 0x25
    case 0x91, 0x93:
      data = chip.read(report[3] >> 1, pointer, count) ?? []
      engine = 0x50
      left = delay
      after = 0x55
    case 0x40:
      if left > 0 {
        left -= 1
        reply[1] = 0x41
        reply[2] = engine
        reply[3] = 127
      } else {
        reply[2] = 0x55
        reply[3] = UInt8(data.count)
        for (place, byte) in data.enumerated() { reply[4 + place] = byte }
        engine = 0
        after = 0
      }
    default: reply[1] = 1
    }
    return reply
  }
}
