// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// One program a target: a new one is a folder with one file, and its name here.
let programs = [
  "fuzz-json", "fuzz-ahap", "fuzz-format", "fuzz-fix", "fuzz-export", "fuzz-clip", "fuzz-render",
  "fuzz-profile", "fuzz-usb", "fuzz-usb-device",
]

// A package of its own: every module in its build folder, the product's too, counts the edges it
// runs through (`swift build --sanitize=fuzzer`), which no user's build should.
let package = Package(
  name: "haprig-fuzzers",
  dependencies: [.package(name: "haprig", path: "..")],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .target(
      name: "Fuzzing", dependencies: ["CLibFuzzer", .product(name: "AHAP", package: "haprig")]),
  ]
    + programs.map { program in
      .executableTarget(
        name: program,
        dependencies: [
          "Fuzzing",
          .product(name: "AHAP", package: "haprig"),
          .product(name: "HapticClips", package: "haprig"),
          .product(name: "HapticRendering", package: "haprig"),
          .product(name: "Profiles", package: "haprig"),
          .product(name: "USBDevices", package: "haprig"),
          .product(name: "USBModels", package: "haprig"),
        ],
        // libFuzzer brings the `main` that a file's top level would otherwise be.
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    },
  swiftLanguageModes: [.v6]
)
