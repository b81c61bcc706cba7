// SPDX-License-Identifier: Apache-2.0

import AHAP

func ahap() throws {
  let bytes = Array(
    """
    {"Version": 1, "Pattern": [{"Event": {
      "Time": 0, "EventType": "HapticTransient", "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": 1.5},
        {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}]}

    """.utf8)
  let document = try AHAPReader.read(bytes, fileName: "tap.ahap")
  for finding in document.diagnostics {
    print(finding.text(fileName: "tap.ahap", bytes: bytes))
  }

  let mended = try AHAPFixer.fixed(bytes, fileName: "tap.ahap")
  print(String(decoding: mended.bytes, as: UTF8.self))

  let tap = HapticEvent(
    kind: .hapticTransient, time: 0.25,
    parameters: EventParameters(intensity: 0.8, sharpness: 0.5))
  print(AHAPWriter.text(HapticPattern(events: [tap])))
}
