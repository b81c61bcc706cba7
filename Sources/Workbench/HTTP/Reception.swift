// SPDX-License-Identifier: Apache-2.0

/// Takes the body of one request as it comes; what is not finished leaves nothing behind.
protocol Reception: AnyObject {
  /// The most bytes that are taken.
  var limit: Int { get }

  func take(_ bytes: [UInt8]) throws(HTTPFault)

  /// Ends the body, and answers.
  func finish() throws(HTTPFault) -> Response
}
