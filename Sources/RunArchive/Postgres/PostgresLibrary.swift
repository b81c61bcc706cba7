// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The functions of libpq that the archive uses, found when a PostgreSQL archive is first opened.
///
/// The library is loaded, not linked: it brings a dozen others (TLS, Kerberos, LDAP) that every start
/// of the program would pay for, and who has no server need not have it.
struct PostgresLibrary: Sendable {
  /// `PQconnectdbParams`.
  let connect:
    @Sendable @convention(c) (
      UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>, Int32
    ) -> OpaquePointer?
  /// `PQstatus`: 0 is a connection in order.
  let status: @Sendable @convention(c) (OpaquePointer?) -> Int32
  /// `PQerrorMessage`.
  let message: @Sendable @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  /// `PQfinish`.
  let finish: @Sendable @convention(c) (OpaquePointer?) -> Void
  /// `PQexecParams`.
  let execute:
    @Sendable @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafePointer<UInt32>?,
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> OpaquePointer?
  /// `PQresultStatus`: 1 is a command done, 2 an answer of rows.
  let outcome: @Sendable @convention(c) (OpaquePointer?) -> Int32
  /// `PQresultErrorField`.
  let errorField: @Sendable @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?
  /// `PQntuples`.
  let rows: @Sendable @convention(c) (OpaquePointer?) -> Int32
  /// `PQgetvalue`.
  let value: @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> UnsafePointer<CChar>?
  /// `PQgetisnull`.
  let isNull: @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Int32
  /// `PQclear`.
  let clear: @Sendable @convention(c) (OpaquePointer?) -> Void
  /// `PQsetNoticeProcessor`.
  let setNoticeProcessor:
    @Sendable @convention(c) (
      OpaquePointer?, (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void)?,
      UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer?

  /// The name of the library by its interface's version, which has not changed since 2005.
  private static let name = "libpq.so.5"

  /// Loads the library; once loaded it stays.
  init() throws(IndexFault) {
    guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else {
      throw .failed(
        "\(Self.name) is not on this machine, and PostgreSQL is spoken to through it: install the "
          + "package libpq5")
    }
    connect = try Self.function("PQconnectdbParams", of: handle)
    status = try Self.function("PQstatus", of: handle)
    message = try Self.function("PQerrorMessage", of: handle)
    finish = try Self.function("PQfinish", of: handle)
    execute = try Self.function("PQexecParams", of: handle)
    outcome = try Self.function("PQresultStatus", of: handle)
    errorField = try Self.function("PQresultErrorField", of: handle)
    rows = try Self.function("PQntuples", of: handle)
    value = try Self.function("PQgetvalue", of: handle)
    isNull = try Self.function("PQgetisnull", of: handle)
    clear = try Self.function("PQclear", of: handle)
    setNoticeProcessor = try Self.function("PQsetNoticeProcessor", of: handle)
  }

  /// A function by its name; the property that takes it says its type as `libpq-fe.h` declares it.
  private static func function<Function>(
    _ name: String, of handle: UnsafeMutableRawPointer
  ) throws(IndexFault) -> Function {
    guard let symbol = dlsym(handle, name) else {
      throw .failed("\(Self.name) has no function \(name): install the package libpq5")
    }
    return unsafeBitCast(symbol, to: Function.self)
  }
}
