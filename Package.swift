// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Each system library stands in one module map under Sources/System and is used by one module
// (docs/ARCHITECTURE.md). The Debian packages are listed in .ci/packages.txt.
let systemLibraries: [Target] = [
  .systemLibrary(name: "CAllocator", path: "Sources/System/CAllocator"),
  .systemLibrary(name: "CALSA", path: "Sources/System/CALSA", pkgConfig: "alsa"),
  .systemLibrary(
    name: "CEBUR128", path: "Sources/System/CEBUR128", pkgConfig: "libebur128"),
  .systemLibrary(name: "CFFTW", path: "Sources/System/CFFTW", pkgConfig: "fftw3"),
  .systemLibrary(name: "CLAPACK", path: "Sources/System/CLAPACK", pkgConfig: "lapacke"),
  .systemLibrary(
    name: "CMessageDigest", path: "Sources/System/CMessageDigest", pkgConfig: "libcrypto"),
  .systemLibrary(name: "CMinpack", path: "Sources/System/CMinpack", pkgConfig: "cminpack"),
  .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng"),
  .systemLibrary(name: "CQRencode", path: "Sources/System/CQRencode", pkgConfig: "libqrencode"),
  .systemLibrary(name: "CSndFile", path: "Sources/System/CSndFile", pkgConfig: "sndfile"),
  .systemLibrary(name: "CSoxr", path: "Sources/System/CSoxr", pkgConfig: "soxr"),
  .systemLibrary(name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3"),
  .systemLibrary(name: "CUSB", path: "Sources/System/CUSB", pkgConfig: "libusb-1.0"),
]

let package = Package(
  name: "haprig",
  products: [
    .executable(name: "haprig", targets: ["haprig"]),
    .library(name: "asound_module_pcm_haprig", type: .dynamic, targets: ["VirtualCard"]),
    .library(name: "AHAP", targets: ["AHAP"]),
    .library(name: "Authoring", targets: ["Authoring", "JSONText"]),
    .library(name: "HapticRendering", targets: ["HapticRendering"]),
    .library(name: "CoreHaptics", targets: ["CoreHaptics"]),
    .library(name: "UIKitFeedback", targets: ["UIKitFeedback"]),
    .library(name: "HapticClips", targets: ["HapticClips"]),
    .library(name: "Profiles", targets: ["Profiles", "Actuators"]),
    .library(name: "Composing", targets: ["Composing", "AHAP", "Units"]),
    .library(name: "SignalAnalysis", targets: ["SignalAnalysis", "Units"]),
    .library(
      name: "RunArchive",
      targets: ["RunArchive", "Acceptance", "Actuators", "ChangeDetection", "Units"]),
    .library(name: "ChangeDetection", targets: ["ChangeDetection", "Units"]),
    // For Benchmarks/ alone: the simulated years of the tests.
    .library(name: "SimulatedNights", targets: ["SimulatedNights", "SeededRandom"]),
    .library(name: "VirtualDevices", targets: ["VirtualDevices", "Actuators", "Devices", "Units"]),
    // For Fuzzers/ and Benchmarks/ alone.
    .library(
      name: "USBDevices",
      targets: [
        "USBDevices", "USBTransport", "SampledSensors", "DeviceStreams", "Actuators", "Devices",
        "Units",
      ]),
    .library(name: "USBModels", targets: ["USBModels"]),
    .library(name: "LiveRuns", targets: ["LiveRuns", "Devices"]),
  ],
  dependencies: [
    // Apache-2.0. Used by haprig alone: arguments, help, shell completion.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // MIT. Used by RigFiles alone: YAML with line and column marks.
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
  ],
  targets: systemLibraries + [
    // 0 speak: no knowledge of haptics, files or time.
    .target(name: "Units"),
    .target(name: "Paths"),
    .target(name: "Actuators"),
    .target(name: "JSONText"),

    // 1 know: what patterns, actuators, people and measurements are.
    .target(name: "AHAP", dependencies: ["JSONText"]),
    .target(name: "Perception"),
    .target(name: "Profiles", dependencies: ["Actuators", "JSONText", "Perception"]),
    .target(
      name: "HapticRendering",
      dependencies: ["AHAP", "Actuators", "Perception", "Profiles", "Units"]),
    .target(name: "HapticClips", dependencies: ["AHAP", "HapticRendering", "JSONText"]),
    .target(name: "Authoring", dependencies: ["AHAP", "JSONText"]),
    .target(
      name: "SignalAnalysis", dependencies: ["Units", "CFFTW", "CLAPACK", "CMinpack"]),
    .target(
      name: "Composing",
      dependencies: ["AHAP", "JSONText", "Perception", "SignalAnalysis", "Units", "CEBUR128"]),
    .target(
      name: "Calibration",
      dependencies: ["Actuators", "Perception", "Profiles", "SignalAnalysis", "Units"]),
    .target(name: "Acceptance", dependencies: ["Actuators", "Devices", "JSONText", "Units"]),
    .target(name: "ChangeDetection", dependencies: ["Units"]),
    .target(name: "GaugeStudy", dependencies: ["Acceptance", "ChangeDetection", "Units"]),
    .target(name: "Devices", dependencies: ["Actuators", "Units"]),
    .target(name: "SoundFiles", dependencies: ["Paths", "Units", "CSndFile", "CSoxr"]),
    .target(
      name: "RigFiles",
      dependencies: [
        "Acceptance", "Actuators", "Devices", "GaugeStudy", "Paths", "Units",
        .product(name: "Yams", package: "Yams"),
      ]),

    // 2 adapt: devices behind the ports.
    .target(
      name: "VirtualDevices",
      dependencies: ["Devices", "JSONText", "SoundFiles", "Units"]),

    .target(name: "ALSADevices", dependencies: ["CALSA", "Devices", "Paths", "Units"]),
    .target(name: "DeviceStreams", dependencies: ["Devices"]),
    .target(name: "SampledSensors", dependencies: ["DeviceStreams", "Devices", "Paths", "Units"]),
    .target(name: "USBTransport", dependencies: ["CUSB", "DeviceStreams", "Devices", "Paths"]),
    .target(
      name: "USBDevices",
      dependencies: ["Actuators", "DeviceStreams", "Devices", "USBTransport", "Units"]),

    // 3 act: run plans, keep records.
    .target(
      name: "RigDevices",
      dependencies: [
        "ALSADevices", "Devices", "SampledSensors", "USBDevices", "USBTransport", "Units",
        "VirtualDevices",
      ]),
    .target(
      name: "CoreHaptics",
      dependencies: [
        "AHAP", "Actuators", "Devices", "HapticRendering", "JSONText", "Profiles", "RigDevices",
        "RigFiles", "SoundFiles", "Units",
      ]),
    .target(name: "UIKitFeedback", dependencies: ["CoreHaptics"]),
    .target(
      name: "RunArchive",
      dependencies: [
        "Acceptance", "Actuators", "CMessageDigest", "CSQLite", "ChangeDetection", "JSONText",
        "Paths",
        "Units",
      ]),
    .target(
      name: "LiveRuns",
      dependencies: ["Acceptance", "Actuators", "Devices", "JSONText", "Paths", "Units"]),
    .target(
      name: "Bench",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Calibration", "Devices", "HapticRendering", "JSONText",
        "Paths", "Perception", "Profiles", "SignalAnalysis", "SoundFiles", "Units",
      ]),

    // 4 present: people look here.
    .target(name: "CEmbeddedFiles"),
    .target(
      name: "Reporting",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "CPNG", "Calibration", "ChangeDetection", "Devices",
        "CEmbeddedFiles", "Composing", "GaugeStudy", "JSONText",
        "Perception", "Profiles", "Units",
      ],
      // CEmbeddedFiles has them.
      exclude: [
        "Certificate/certificate.css", "Certificate/print.css", "Charts/chart.css",
        "Charts/chart.js", "Charts/page.js", "Charts/view.js", "History/history.css",
        "History/history.js",
        "Page/page.css", "Plot/plot.css",
      ]),

    // 5 work: what a command does, without its terminal.
    .target(
      name: "Workflows",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Bench", "Calibration", "ChangeDetection", "Devices",
        "CEmbeddedFiles", "Composing", "CoreHaptics", "GaugeStudy", "HapticRendering",
        "JSONText", "LiveRuns", "Paths", "Perception", "Profiles", "Reporting", "RigDevices",
        "RigFiles", "RunArchive",
        "SignalAnalysis", "SoundFiles", "Units",
      ]),

    // 6 serve: the workbench, a server for this machine's browser.
    .target(
      name: "Workbench",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Authoring", "Bench", "CEmbeddedFiles", "CQRencode",
        "Calibration", "ChangeDetection", "Composing", "Devices", "HapticClips",
        "HapticRendering", "JSONText",
        "LiveRuns", "Paths", "Perception", "Profiles", "Reporting", "RigDevices", "RigFiles",
        "RunArchive", "SoundFiles", "Units", "Workflows",
      ],
      // CEmbeddedFiles has them.
      exclude: ["Pages"]),

    // 7 compose: arguments, exit codes, concrete devices; the simulated rig as a sound card.
    .target(name: "CVirtualCard"),
    .target(
      name: "VirtualCard",
      dependencies: [
        "CALSA", "CVirtualCard", "Devices", "Paths", "RigFiles", "Units", "VirtualDevices",
      ]),
    .executableTarget(
      name: "haprig",
      dependencies: [
        "AHAP", "ALSADevices", "Acceptance", "Actuators", "Bench", "CAllocator", "Calibration",
        "ChangeDetection", "Composing", "CoreHaptics", "Devices", "GaugeStudy",
        "HapticClips",
        "HapticRendering",
        "JSONText", "LiveRuns", "Paths", "Perception", "Profiles", "Reporting", "RigDevices",
        "RigFiles", "RunArchive",
        "SampledSensors", "SignalAnalysis", "SoundFiles", "USBTransport", "Units", "Workbench",
        "Workflows",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Lessons: apps of under 150 lines that import CoreHaptics alone.
    .executableTarget(
      name: "Palette", dependencies: ["CoreHaptics"], path: "Examples/Palette"),
    .executableTarget(
      name: "BouncingBall", dependencies: ["CoreHaptics"], path: "Examples/BouncingBall"),
    .executableTarget(
      name: "Ricochet", dependencies: ["CoreHaptics"], path: "Examples/Ricochet"),
    .executableTarget(
      name: "Sampler", dependencies: ["CoreHaptics"], path: "Examples/Sampler"),
    // The examples of the libraries' pages (make docs). They see what other packages see.
    .executableTarget(
      name: "LibraryExamples",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Authoring", "ChangeDetection", "Composing",
        "CoreHaptics", "Devices",
        "HapticClips", "HapticRendering", "LiveRuns", "Profiles", "RunArchive", "SignalAnalysis",
        "UIKitFeedback", "USBDevices", "Units", "VirtualDevices",
      ],
      path: "Examples/LibraryExamples", packageAccess: false),

    // Tests mirror Sources; support has no tests of the product in it.
    .target(name: "AllocationCounter", path: "Tests/Support/AllocationCounter"),
    .target(
      name: "PublishedPatterns", dependencies: ["AHAP"], path: "Tests/Support/PublishedPatterns"),
    // Code as apps have it: compiled as Xcode compiles it, without this package's settings.
    .target(
      name: "AppSnippets", dependencies: ["CoreHaptics"], path: "Tests/Support/AppSnippets"),
    .target(name: "ForeignPlant", path: "Tests/Support/ForeignPlant"),
    .target(name: "ScratchFolder", path: "Tests/Support/ScratchFolder"),
    .target(name: "SeededRandom", path: "Tests/Support/SeededRandom"),
    .target(
      name: "SimulatedNights", dependencies: ["SeededRandom"],
      path: "Tests/Support/SimulatedNights"),
    .target(
      name: "RecordedNights",
      dependencies: ["Acceptance", "Actuators", "ChangeDetection", "SeededRandom", "Units"],
      path: "Tests/Support/RecordedNights"),
    .target(
      name: "DeviceConformance", dependencies: ["Devices", "Units"],
      path: "Tests/Support/DeviceConformance"),
    .target(
      name: "USBModels", dependencies: ["DeviceStreams", "Devices", "USBDevices", "USBTransport"],
      path: "Tests/Support/USBModels"),
    .target(
      name: "ControllerModels",
      dependencies: ["Devices", "USBDevices", "USBModels", "USBTransport"],
      path: "Tests/Support/ControllerModels"),
    .executableTarget(
      name: "USBConversation", dependencies: ["Devices", "USBDevices", "USBTransport"],
      path: "Tests/Support/USBConversation"),
    .testTarget(name: "SupportTests", dependencies: ["AllocationCounter", "SeededRandom"]),
    .testTarget(name: "ArchitectureTests", dependencies: ["AHAP", "Acceptance"]),
    .testTarget(name: "UnitsTests", dependencies: ["SeededRandom", "Units"]),
    .testTarget(
      name: "JSONTextTests", dependencies: ["JSONText", "SeededRandom"], exclude: ["Cases"]),
    .testTarget(
      name: "AHAPTests",
      dependencies: ["AHAP", "JSONText", "PublishedPatterns", "SeededRandom"]),
    .testTarget(
      name: "AuthoringTests",
      dependencies: ["AHAP", "Authoring", "JSONText", "PublishedPatterns", "SeededRandom"]),
    .testTarget(name: "PerceptionTests", dependencies: ["Perception", "SeededRandom"]),
    .testTarget(
      name: "ProfilesTests",
      dependencies: [
        "Actuators", "AllocationCounter", "JSONText", "Perception", "Profiles", "SeededRandom",
      ]),
    .testTarget(
      name: "CalibrationTests",
      dependencies: [
        "Actuators", "Calibration", "Perception", "Profiles", "SeededRandom", "SignalAnalysis",
        "Units",
      ]),
    .testTarget(
      name: "HapticRenderingTests",
      dependencies: [
        "AHAP", "Actuators", "AllocationCounter", "HapticRendering", "Perception", "Profiles",
        "PublishedPatterns", "SeededRandom", "Units",
      ]),
    .testTarget(
      name: "HapticClipsTests",
      dependencies: [
        "AHAP", "HapticClips", "HapticRendering", "JSONText", "PublishedPatterns", "SeededRandom",
      ]),
    .testTarget(
      name: "SignalAnalysisTests", dependencies: ["SeededRandom", "SignalAnalysis", "Units"],
      exclude: ["References"]),
    .testTarget(
      name: "ComposingTests",
      dependencies: [
        "AHAP", "AllocationCounter", "Composing", "JSONText", "Perception", "SeededRandom", "Units",
      ]),
    .testTarget(
      name: "AcceptanceTests",
      dependencies: ["Acceptance", "Actuators", "Devices", "JSONText", "SeededRandom", "Units"]),
    .testTarget(
      name: "ChangeDetectionTests",
      dependencies: ["ChangeDetection", "SeededRandom", "SimulatedNights", "Units"],
      exclude: ["References"]),
    .testTarget(
      name: "GaugeStudyTests",
      dependencies: ["Acceptance", "ChangeDetection", "GaugeStudy", "SeededRandom", "Units"],
      exclude: ["References"]),
    .testTarget(
      name: "DevicesTests", dependencies: ["AllocationCounter", "Devices", "SeededRandom", "Units"]),
    .testTarget(
      name: "SoundFilesTests", dependencies: ["CSndFile", "ScratchFolder", "SoundFiles", "Units"]),
    .testTarget(
      name: "ALSADevicesTests",
      dependencies: [
        "ALSADevices", "Actuators", "AllocationCounter", "DeviceConformance", "Devices", "RigFiles",
        "ScratchFolder", "SeededRandom", "Units", "VirtualDevices",
      ]),
    .testTarget(
      name: "DeviceStreamsTests", dependencies: ["DeviceStreams", "Devices", "SeededRandom"]),
    .testTarget(
      name: "SampledSensorsTests",
      dependencies: [
        "Actuators", "DeviceConformance", "DeviceStreams", "Devices", "SampledSensors",
        "ScratchFolder", "SeededRandom", "Units",
      ]),
    .testTarget(
      name: "USBTransportTests",
      dependencies: [
        "AllocationCounter", "DeviceStreams", "Devices", "SampledSensors", "ScratchFolder",
        "SeededRandom", "USBDevices", "USBModels", "USBTransport",
      ]),
    .testTarget(
      name: "USBDevicesTests",
      dependencies: [
        "Actuators", "ControllerModels", "DeviceConformance", "DeviceStreams", "Devices",
        "ScratchFolder", "SeededRandom", "USBDevices", "USBModels", "USBTransport", "Units",
      ]),
    .testTarget(
      name: "VirtualCardTests", dependencies: ["CALSA", "ScratchFolder", "SeededRandom"]),
    .testTarget(
      name: "RigFilesTests",
      dependencies: ["Acceptance", "Actuators", "Devices", "GaugeStudy", "RigFiles", "Units"]),
    .testTarget(
      name: "VirtualDevicesTests",
      dependencies: [
        "Actuators", "DeviceConformance", "Devices", "ScratchFolder", "SoundFiles", "Units",
        "VirtualDevices",
      ]),
    .testTarget(
      name: "BenchTests",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Bench", "Calibration", "Devices", "HapticRendering",
        "Perception", "Profiles", "ScratchFolder", "SeededRandom", "SignalAnalysis", "SoundFiles",
        "Units", "VirtualDevices",
      ],
      exclude: ["References"]),
    .testTarget(
      name: "ForeignPlantTests",
      dependencies: [
        "Actuators", "Devices", "ForeignPlant", "RigFiles", "ScratchFolder", "VirtualDevices",
      ]),
    .testTarget(
      name: "RigDevicesTests",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Bench", "ControllerModels", "Devices",
        "HapticRendering", "Perception", "RigDevices", "RigFiles", "ScratchFolder", "SeededRandom",
        "SampledSensors", "USBDevices", "USBModels", "USBTransport", "Units",
      ]),
    .testTarget(
      name: "CoreHapticsTests",
      dependencies: [
        "AHAP", "Actuators", "AllocationCounter", "AppSnippets", "Composing", "CoreHaptics",
        "Devices", "HapticRendering", "Profiles", "ScratchFolder", "SeededRandom", "SoundFiles",
        "Units",
      ]),
    .testTarget(
      name: "UIKitFeedbackTests", dependencies: ["AHAP", "CoreHaptics", "UIKitFeedback"]),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "BouncingBall", "Palette", "Ricochet", "Sampler", "ScratchFolder", "LibraryExamples",
      ]),
    .testTarget(
      name: "RunArchiveTests",
      dependencies: [
        "Acceptance", "Actuators", "ChangeDetection", "JSONText", "RunArchive", "ScratchFolder",
        "SeededRandom",
        "Units",
      ]),
    .testTarget(
      name: "LiveRunsTests",
      dependencies: [
        "Acceptance", "Actuators", "AllocationCounter", "Bench", "Devices", "JSONText", "LiveRuns",
        "ScratchFolder", "SeededRandom", "Units", "VirtualDevices",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "AHAP", "Acceptance", "Bench", "Devices", "ForeignPlant", "haprig", "JSONText", "LiveRuns",
        "Palette", "RecordedNights", "Sampler", "SeededRandom", "USBConversation", "Units",
      ]),
    .testTarget(
      name: "WorkflowsTests",
      dependencies: [
        "AHAP", "ALSADevices", "Acceptance", "Actuators", "Bench", "Calibration", "ChangeDetection",
        "Composing",
        "CoreHaptics", "Devices",
        "GaugeStudy", "HapticRendering", "JSONText", "LiveRuns", "Perception", "Profiles",
        "Reporting", "RigFiles", "RunArchive", "ScratchFolder", "SeededRandom", "SignalAnalysis",
        "Units", "Workflows",
      ]),
    .testTarget(
      name: "WorkbenchTests",
      dependencies: [
        "AHAP", "Acceptance", "Actuators", "Authoring", "Composing", "Devices", "JSONText",
        "LiveRuns", "Reporting", "RunArchive", "ScratchFolder", "SeededRandom", "SoundFiles",
        "Units", "Workbench", "Workflows",
      ]),
    .testTarget(
      name: "ReportingTests",
      dependencies: [
        "Acceptance", "Actuators", "Calibration", "ChangeDetection", "Devices", "GaugeStudy",
        "JSONText",
        "Perception", "Profiles", "Reporting", "ScratchFolder", "SeededRandom", "Units",
      ]),
  ],
  swiftLanguageModes: [.v6],
  // For #embed.
  cLanguageStandard: .gnu2x
)

let foreign: Set = ["AllocationCounter", "AppSnippets"]
for target in package.targets where target.type != .system && !foreign.contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),  // SE-0335
      .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
      .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
      .treatAllWarnings(as: .error),  // SE-0480
    ]
  // What works through samples is optimised. What only says what is to be done is not: the tests' own
  // code, and the commands, which are last in a build and wait for all others.
  if target.type == .test || target.name == "haprig" {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
  }
}

// `make docs` alone asks for what makes pages of the libraries' comments.
if Context.environment["HAPRIG_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}
