// SPDX-License-Identifier: Apache-2.0

/// What somebody may do who has a key.
enum Access: String, Sendable {
  /// Everything.
  case all
  /// Look at everything, and change nothing.
  case look
}

extension HTTPFault {
  /// Why whoever may only look is refused.
  static let looking = HTTPFault(
    403, "looking",
    "this key is for looking only: what changes or starts something needs the first address that "
      + "'haprig serve' printed")
}
