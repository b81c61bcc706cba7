// SPDX-License-Identifier: Apache-2.0

import USBDevices

/// A CP2112 by AN495: reports without answers, a status on request.
struct ModelCP2112: ModelBridge {
  var chip = ModelDRV2605L()
  var delay = 2
  private var left = 0
  private var result: [UInt8] = [0, 0]
  private var data: [UInt8] = []
  private(set) var hertz = 0

  mutating func take(_ transfers: [BridgeTransfer]) -> [[UInt8]] {
    transfers.flatMap { transfer -> [[UInt8]] in
      switch transfer {
      case .feature(let report) where report[0] == 0x06:
        hertz = report[1...4].reduce(0) { $0 << 8 | Int($1) }
        return []
      case .report(let report) where report.count == 64: return answer(report)
      default: return []
      }
    }
  }

  private mutating func answer(_ report: [UInt8]) -> [[UInt8]] {
    switch report[0] {
    case 0x14:
      let heard = chip.write(report[1] >> 1, Array(report[3..<(3 + Int(report[2]))]))
      result = heard ? [2, 5] : [3, 0]
      data = []
      left = delay
      return []
    case 0x11:
      let count = Int(report[2]) << 8 | Int(report[3])
      let bytes = chip.read(report[1] >> 1, report[5], count)
      result = bytes == nil ? [3, 0] : [2, 5]
      data = bytes ?? []
      left = delay
      return []
    case 0x12: return [padded([0x13, 2, UInt8(data.count)] + data)]
    case 0x15:
      if left > 0 {
        left -= 1
        return [padded([0x16, 1, 3])]
      }
      return [padded([0x16] + result + [0, 0, UInt8(data.count >> 8), UInt8(data.count & 0xff)])]
    case 0x17:
      left = 0
      result = [0, 0]
      return []
    default: return []
    }
  }

  private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + Array(repeating: 0, count: 64 - bytes.count)
  }
}
