// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Glibc
import Testing

/// The counter sees what it is meant to see: without this, a count of zero would prove nothing.
@Suite(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
struct AllocationCounterTests {
  @Test func `an array that grows is seen`() {
    var array: [Int] = []
    allocationCounterStart()
    for index in 0..<1000 { array.append(index) }
    let counts = allocationCounterStop()
    #expect(counts.allocations > 0)
    #expect(counts.releases > 0)
    #expect(array.count == 1000)
  }

  @Test func `every way to ask the C library for memory is seen once`() {
    var aligned: UnsafeMutableRawPointer?
    allocationCounterStart()
    let plain = malloc(100)
    let cleared = calloc(10, 10)
    let grown = realloc(plain, 10_000)
    let status = posix_memalign(&aligned, 64, 1000)
    let other = aligned_alloc(128, 1280)
    // Addresses that are looked at later, or an optimiser would do without the memory.
    let places = (
      Int(bitPattern: cleared), Int(bitPattern: grown), Int(bitPattern: aligned),
      Int(bitPattern: other)
    )
    free(grown)
    free(cleared)
    free(aligned)
    free(other)
    free(nil)
    let counts = allocationCounterStop()
    #expect(status == 0)
    #expect(Set([places.0, places.1, places.2, places.3]).count == 4)
    #expect(counts.allocations == 5)
    #expect(counts.releases == 4)
  }

  @Test func `plain arithmetic counts nothing`() {
    var sum = 0.0
    allocationCounterStart()
    for index in 0..<1000 { sum += Double(index).squareRoot() }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
    #expect(sum > 0)
  }

  @Test func `what happens before the start and after the stop is not counted`() {
    let before = malloc(64)
    allocationCounterStart()
    let counts = allocationCounterStop()
    free(before)
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }

  @Test func `memory asked for with an alignment has it`() {
    for alignment in [8, 16, 64, 4096] {
      var memory: UnsafeMutableRawPointer?
      #expect(posix_memalign(&memory, alignment, 100) == 0)
      #expect(Int(bitPattern: memory) % alignment == 0)
      free(memory)
    }
    var memory: UnsafeMutableRawPointer?
    #expect(posix_memalign(&memory, 24, 100) == EINVAL)
  }
}
