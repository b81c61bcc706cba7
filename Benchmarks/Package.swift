// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own, so that what only benchmarks need never reaches a user.
let package = Package(
  name: "haprig-benchmarks",
  dependencies: [.package(name: "haprig", path: "..")],
  targets: [
    .executableTarget(
      name: "haprig-benchmarks",
      dependencies: [
        .product(name: "AHAP", package: "haprig"),
        .product(name: "Authoring", package: "haprig"),
        .product(name: "ChangeDetection", package: "haprig"),
        .product(name: "Composing", package: "haprig"),
        .product(name: "HapticRendering", package: "haprig"),
        .product(name: "LiveRuns", package: "haprig"),
        .product(name: "RunArchive", package: "haprig"),
        .product(name: "SignalAnalysis", package: "haprig"),
        .product(name: "USBDevices", package: "haprig"),
        .product(name: "USBModels", package: "haprig"),
        .product(name: "VirtualDevices", package: "haprig"),
        .product(name: "SimulatedNights", package: "haprig"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
