// SPDX-License-Identifier: Apache-2.0

import Fuzzing
import Profiles

/// Bytes as a calibration profile: every error lies in the text; what is read writes and reads back as
/// itself, and asks for finite frequencies and for no more than its limits.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let profile: CalibrationProfile
  do throws(ProfileError) {
    profile = try CalibrationProfile(parsing: bytes)
  } catch {
    require(error.position, in: bytes, of: "'\(error)'")
    return 0
  }
  let text = profile.text
  require(
    (try? CalibrationProfile(parsing: Array(text.utf8))) == profile,
    "reads back as another profile:\n\(text)")
  let map = DriveMap(profile: profile, fullScaleVolts: 1000)
  let highest = profile.actuator.limits.safeFullScale(
    fullScaleVolts: 1000, isTone: profile.motorCurve == nil)
  for intensity in [0.05, 0.5, 1] {
    for sharpness in [0, 0.4, 1.0] {
      let command = map.command(intensity: intensity, sharpness: sharpness)
      require(
        command.frequency.isFinite && command.frequency > 0,
        "\(command.frequency) Hz at \(intensity), \(sharpness)")
      require(
        command.volts >= 0 && command.volts <= highest * (1 + 1e-9),
        "\(command.volts) V of \(highest) V at \(intensity), \(sharpness)")
    }
  }
  return 0
}
