// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators

/// A word of the trade that a page uses; its meaning is told where the pointer rests on it, and at the foot of the
/// page.
enum Term: String, CaseIterable {
  case profile
  case intensityLaw = "intensity law"
  case sharpnessLaw = "sharpness law"
  case threshold = "threshold of feeling"
  case referenceLevel = "reference level"
  case noticeable = "just noticeable difference"
  case consistency = "J, the consistency index"
  case harmony = "harmony index"
  case standard = "±"
  case expanded = "k = 2"
  case rms
  case most = "95 %"
  case resonance = "resonance, f0"
  case quality = "quality factor, Q"
  case gain
  case grid = "points of the grid"
  case heldOut = "held out"
  case tail = "tap tail"
  case crossTalk = "cross-talk"
  case coherence

  /// The identifier of the meaning on a page.
  var identifier: String {
    "word-" + rawValue.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
  }

  var meaning: String {
    switch self {
    case .profile:
      "what a calibration found out about one actuator: which voltage makes it move how strongly, and how to "
        + "make it feel as asked"
    case .intensityLaw:
      "how intensity 0 to 1 becomes a strength: under 'square' amplitude grows with the square of intensity, "
        + "under 'linear' with intensity, under 'sone' felt strength grows with it, under 'aosp' decibels above "
        + "the threshold of feeling, as on Android"
    case .sharpnessLaw:
      "how sharpness 0 to 1 becomes a frequency: 'log80-230' goes from 80 to 230 Hz in equal steps of pitch, "
        + "'linear80-230' and 'mpeg65-300' in equal steps of hertz between the two numbers, 'aosp' as Android does"
    case .threshold:
      "the weakest vibration that people feel, which differs by frequency; 'aosp16' names the curve that Android "
        + "16 uses, 'velocity' one of equal velocity"
    case .referenceLevel:
      "how strong intensity 1 is, in dB above the threshold of feeling"
    case .noticeable:
      "the smallest difference that people tell apart, as published: 2.2 dB in level, 18 % in frequency"
    case .consistency:
      "how far what is felt lies from what is asked, level and frequency together, counted in just noticeable "
        + "differences: up to 0.25 is as asked, up to 0.5 is not felt"
    case .harmony:
      "one number from 1 to 100 for how closely the result follows the pattern; an error that people just notice "
        + "costs its part 50 points"
    case .standard:
      "one standard uncertainty: the true value lies within it in about two of three cases. Digits in brackets "
        + "are the same, in units of the last digit: 0.406(14) is 0.406 ± 0.014"
    case .expanded:
      "an expanded uncertainty, twice the standard one: the true value lies within it in about 95 of 100 cases"
    case .rms:
      "root mean square: the size of a typical error, whichever way it goes"
    case .most: "what 95 of 100 errors do not exceed"
    case .resonance: "the frequency at which the actuator moves most for each volt"
    case .quality:
      "how sharp the resonance is: it rings for about so many periods, and is strong in a band of f0 / Q"
    case .gain: "acceleration for each volt at the resonance"
    case .grid: "five intensities times five sharpnesses, by which every actuator is judged"
    case .heldOut:
      "measured with the finished profile, and not used to make it: an error there is an honest one"
    case .tail: "how long a tap rings on, until it is 20 dB below its peak"
    case .crossTalk: "how much one of intensity and sharpness changes where only the other should"
    case .coherence:
      "which share of the response follows from the drive; what is missing is noise, or something that moved"
    }
  }
}

extension ReadingKind {
  /// The identifier of the meaning on a page.
  var identifier: String { "means-\(rawValue)" }
}

extension ActuatorKind {
  /// What it is, in words.
  var words: String {
    switch self {
    case .lra: "linear resonant actuator (LRA)"
    case .vcm: "voice coil (VCM)"
    case .erm: "eccentric rotating mass (ERM)"
    case .piezo: "piezo"
    }
  }
}
