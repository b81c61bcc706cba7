// SPDX-License-Identifier: Apache-2.0

/// The table of docs/ARCHITECTURE.md as data: every module, its layer, and what it may import.
enum LayerTable {
  struct Row {
    let module: String
    let layer: Int
    /// Modules of its own layer that it may import; those of lower layers it may import anyway.
    let beside: [String]
    /// What it may import from outside the package, beyond what every module may.
    let outside: [String]
  }

  static let rows: [Row] = [
    Row(module: "Units", layer: 0, beside: [], outside: []),
    Row(module: "Paths", layer: 0, beside: [], outside: []),
    Row(module: "Actuators", layer: 0, beside: [], outside: []),
    Row(module: "JSONText", layer: 0, beside: [], outside: []),

    Row(module: "AHAP", layer: 1, beside: [], outside: []),
    Row(module: "Perception", layer: 1, beside: [], outside: []),
    Row(module: "Profiles", layer: 1, beside: ["Perception"], outside: []),
    Row(
      module: "HapticRendering", layer: 1, beside: ["AHAP", "Profiles", "Perception"], outside: []),
    Row(module: "HapticClips", layer: 1, beside: ["AHAP", "HapticRendering"], outside: []),
    Row(module: "Authoring", layer: 1, beside: ["AHAP"], outside: []),
    Row(module: "SignalAnalysis", layer: 1, beside: [], outside: ["CFFTW", "CLAPACK", "CMinpack"]),
    Row(
      module: "Composing", layer: 1, beside: ["AHAP", "Perception", "SignalAnalysis"],
      outside: ["CEBUR128"]),
    Row(
      module: "Calibration", layer: 1, beside: ["Perception", "Profiles", "SignalAnalysis"],
      outside: []),
    Row(module: "Acceptance", layer: 1, beside: ["Devices"], outside: []),
    Row(module: "ChangeDetection", layer: 1, beside: [], outside: []),
    Row(
      module: "GaugeStudy", layer: 1, beside: ["Acceptance", "ChangeDetection"], outside: []),
    Row(module: "Devices", layer: 1, beside: [], outside: []),
    Row(module: "SoundFiles", layer: 1, beside: [], outside: ["CSndFile", "CSoxr"]),
    Row(
      module: "RigFiles", layer: 1, beside: ["Acceptance", "Devices", "GaugeStudy"],
      outside: ["Yams"]),

    Row(module: "VirtualDevices", layer: 2, beside: [], outside: []),

    Row(module: "ALSADevices", layer: 2, beside: [], outside: ["CALSA"]),
    Row(module: "DeviceStreams", layer: 2, beside: [], outside: []),
    Row(module: "SampledSensors", layer: 2, beside: ["DeviceStreams"], outside: []),
    Row(module: "USBTransport", layer: 2, beside: ["DeviceStreams"], outside: ["CUSB"]),
    Row(module: "USBDevices", layer: 2, beside: ["DeviceStreams", "USBTransport"], outside: []),

    Row(module: "RigDevices", layer: 3, beside: [], outside: []),
    Row(module: "CoreHaptics", layer: 3, beside: ["RigDevices"], outside: ["Foundation"]),
    Row(module: "UIKitFeedback", layer: 3, beside: ["CoreHaptics"], outside: ["Foundation"]),
    Row(module: "RunArchive", layer: 3, beside: [], outside: ["CMessageDigest", "CSQLite"]),
    Row(module: "LiveRuns", layer: 3, beside: [], outside: []),
    Row(module: "Bench", layer: 3, beside: [], outside: []),

    Row(module: "Reporting", layer: 4, beside: [], outside: ["CEmbeddedFiles", "CPNG"]),

    Row(module: "Workflows", layer: 5, beside: [], outside: ["CEmbeddedFiles"]),

    Row(module: "Workbench", layer: 6, beside: [], outside: ["CEmbeddedFiles", "CQRencode"]),

    Row(
      module: "VirtualCard", layer: 7, beside: [], outside: ["CALSA", "CVirtualCard"]),
    Row(module: "haprig", layer: 7, beside: [], outside: ["ArgumentParser", "CAllocator"]),
  ]

  /// Imports that a layer's rule would allow and a module's purpose forbids.
  static let forbidden: [String: Set<String>] = [
    "Bench": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "RigFiles",
    ],
    "CoreHaptics": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "SignalAnalysis", "Calibration", "Acceptance",
      "HapticClips",
    ],
    "UIKitFeedback": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "SignalAnalysis", "Calibration", "Devices",
      "RigFiles",
    ],
    "Reporting": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "RigDevices", "RigFiles", "Bench",
      "SignalAnalysis", "RunArchive",
      "SoundFiles",
    ],
    "RunArchive": ["Devices", "VirtualDevices"],
    "LiveRuns": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "SignalAnalysis", "Calibration", "RigFiles",
    ],
    "Workflows": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices",
    ],
    "Workbench": [
      "ALSADevices", "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport",
      "VirtualDevices", "SignalAnalysis", "CoreHaptics",
    ],
    "VirtualDevices": ["SignalAnalysis", "HapticRendering", "AHAP", "Acceptance"],
    "RigDevices": ["SignalAnalysis"],
  ]

  /// The C library and the standard library's own modules: any module may import these.
  static let everywhere: Set<String> = ["Glibc", "Synchronization", "Swift"]

  /// Libraries that two modules import: sound cards are played to, and the virtual one is made.
  ///
  /// Apple's API has Foundation's types in it.
  static let shared: [String: Set<String>] = [
    "CALSA": ["ALSADevices", "VirtualCard"],
    "CEmbeddedFiles": ["Reporting", "Workbench", "Workflows"],
    "Foundation": ["CoreHaptics", "UIKitFeedback"],
  ]

  /// What an application may link: nothing under GPL may be reached from here.
  static let linkable = [
    "AHAP", "ALSADevices", "Actuators", "HapticClips", "HapticRendering", "Perception", "Profiles",
    "Devices",
    "RigDevices",
    "DeviceStreams", "SampledSensors", "USBDevices", "USBTransport", "VirtualDevices",
    "CoreHaptics", "UIKitFeedback",
  ]

  /// The module that links a library under GPL.
  static let copyleft = "SignalAnalysis"
}
