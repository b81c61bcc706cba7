import Calibration
import Profiles

extension CertificatePage {
  /// Writes the taps as numbers and pictures.
  func writeTaps(to main: inout Markup) {
    let taps = TapSummary(profile: profile, figures: certificate.figures).taps
    main.writeSection("taps", "Taps") { section in
      guard !taps.isEmpty else {
        section.element("p", ["class": "note"], text: "No tap was measured.")
        return
      }
      func optional(_ value: Double?, _ shown: (Double) -> String) -> CertificateTable.Cell {
        value.map { .init(shown($0), value: $0) } ?? .init("–")
      }
      func place(
        _ level: Double?, _ frequency: Double?, _ isMapped: Bool = false
      ) -> CertificateTable.Cell {
        guard let level, let frequency else { return .init("–") }
        return .init(
          "\(Shown.fixed(level, 1, ""))\(isMapped ? " *" : "")", value: level,
          detail: Shown.fixed(frequency, 1, "Hz"), style: isMapped ? "mapped" : "")
      }
      CertificateTable(
        caption: "Taps as measured",
        head: [
          "Intensity", "Sharpness#", "Asked, dB#", "Wanted, dB#", "Peak, m/s²#", "Peak error#",
          "Energy, m²/s³#",
          "Energy error#", "Tail to -20 dB#", "Pulse to ring#",
        ],
        rows: taps.map { tap in
          [
            .init(Shown.number(tap.intensity)), .init(Shown.number(tap.sharpness)),
            place(tap.asked?.targetLevel, tap.asked?.targetFrequency),
            place(
              tap.asked?.wantedLevel, tap.asked?.wantedFrequency, tap.asked?.mapped ?? false),
            optional(tap.peak) { Shown.number($0) },
            optional(tap.peakError) { Shown.percent($0, decimals: 1) },
            optional(tap.energy) { Shown.number($0) },
            optional(tap.energyError) { Shown.decibels($0) },
            optional(tap.tail) { Shown.fixed(1e3 * $0, 1, "ms") },
            optional(tap.pulseToRing) { Shown.decibels($0, decimals: 1) },
          ]
        }
      ).write(to: &section)
      section.element(
        "p", ["class": "note wide"],
        text:
          "Asked is what the laws ask for, wanted what the actuator can give of it, both at the tap's "
          + "start in dB above threshold; * mapped by more than a quarter of a just noticeable difference. "
          + "Errors are against what is wanted. The peak is the waveform's, 10 to 3,000 Hz. "
          + "The tail counts from the intended end, braking included, until the envelope stays 20 dB "
          + "below its peak; below zero it did so before. The pulse-to-ring ratio compares the energy up "
          + "to the end of the pulse with that of the ring after it, both less that of the noise; a dash "
          + "stands where noise hides it.")
      section.writePlots(CertificatePlots(certificate: certificate).taps)
    }
  }

  /// Writes what the numbers hold for, and what no measurement of this kind can tell.
  func writeLimits(to main: inout Markup) {
    main.writeSection("limits", "Validity, conditions and limits of the method") { section in
      section.element("ul", ["class": "notes"]) { list in
        for line in Self.validity + Self.limits { list.element("li", text: line) }
      }
    }
  }

  private static let validity = [
    "The numbers hold for this piece, on this mass and mount, at this temperature and contact, driven "
      + "from this source; another source impedance changes Q, another mass scales the acceleration.",
    "They hold within the drive limits named above and for levels up to the ceiling; taps may go "
      + "beyond the ceiling for as long as the thermal limit lets them.",
    "Calibrate again after a remount, a repair or a change of temperature by more than 10 K (about "
      + "0.3 dB for a coil), or when the quick check tells of drift.",
  ]

  private static let limits = [
    "Thresholds are medians of people with a certain contact; between a small probe and a whole "
      + "hand they differ by 10 to 18 dB.",
    "Counting levels above threshold is well founded near threshold. At 30 to 40 dB above it, equal "
      + "velocity may describe better what feels equal: 5 dB of difference at 80 Hz.",
    "Apple does not publish what sharpness is; the law named above is a choice, and one frequency for "
      + "it is a simplification that bends near 100 Hz.",
    "No person took part: that two actuators feel the same is predicted from acceleration, not proven. "
      + "A paired comparison by people would prove it.",
    "Acceleration is taken at the sensor. A hand that holds the device adds mass and damping that this "
      + "measurement does not have.",
  ]

  /// Writes what the certificate was made from.
  func writeSource(to main: inout Markup) {
    let source = profile.source
    main.writeSection("source", "Source") { section in
      section.element("dl", ["class": "list"]) { list in
        for (term, value) in [
          ("run", source.run),
          ("hash of the recordings", source.hash.isEmpty ? Shown.notGiven : source.hash),
          ("program", source.program), ("date", source.date), ("computer", certificate.host),
        ] {
          list.element("dt", text: term)
          list.element("dd", text: value)
        }
      }
      guard !certificate.recordings.isEmpty else { return }
      CertificateTable(
        caption: "Recordings", head: ["File", "SHA-256"],
        rows: certificate.recordings.map { [.init($0.name), .init($0.hash, style: "hash")] },
        isWhole: false
      ).write(to: &section)
    }
  }
}
