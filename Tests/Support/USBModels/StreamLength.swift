// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How long the long streams are.
///
/// A million packets and frames where HAPRIG_USB_MILLION is set, as `make check` does it; fewer in every
/// run of a debug build.
package enum StreamLength {
  package static let packets = getenv("HAPRIG_USB_MILLION") == nil ? 20_000 : 1_000_000
  package static let plugs = getenv("HAPRIG_USB_MILLION") == nil ? 50 : 1000
  package static let frames = getenv("HAPRIG_USB_MILLION") == nil ? 100_000 : 1_000_000
}
