// SPDX-License-Identifier: Apache-2.0
// What a USB device that is a program says to the kernel's vhci_hcd: the USB/IP protocol over a socket.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kSubmit = 1, kUnlink = 2, kSubmitReply = 3, kUnlinkReply = 4 };  // USB/IP commands

// USB/IP's header, 48 bytes, every number in network order.
typedef struct {
  uint32_t command, sequence, device, direction, endpoint;
  union {
    struct { uint32_t flags, length, start, packets, interval; uint8_t setup[8]; } submit;
    struct { uint32_t status, actual, start, packets, errors; uint8_t unused[8]; } reply;
    struct { uint32_t sequence; uint8_t unused[24]; } unlink;
  };
} __attribute__((packed)) Header;

static int bus;  // the device's end of the socket
static volatile sig_atomic_t unplugged;

// Ends the program; each device has its own last words.
static void leave(void);

static int64_t microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void receive(void *to, size_t size) {
  for (size_t got = 0; got < size;) {
    ssize_t more = read(bus, (char *)to + got, size - got);
    if (more < 0 && errno == EINTR && !unplugged) continue;
    if (more <= 0) leave();
    got += (size_t)more;
  }
}

static void transmit(const void *from, size_t size) {
  for (size_t sent = 0; sent < size;) {
    ssize_t more = write(bus, (const char *)from + sent, size - sent);
    if (more < 0 && errno == EINTR && !unplugged) continue;
    if (more <= 0) leave();
    sent += (size_t)more;
  }
}

// Answers a transfer that is not isochronous with at most a kilobyte.
static void reply(uint32_t sequence, int status, const void *data, int size, int actual) {
  uint8_t out[sizeof(Header) + 1024];
  Header header = {.command = htonl(kSubmitReply), .sequence = htonl(sequence)};
  header.reply.status = htonl((uint32_t)status);
  header.reply.actual = htonl((uint32_t)actual);
  memcpy(out, &header, sizeof header);
  if (size) memcpy(out + sizeof header, data, (size_t)size);
  transmit(out, sizeof header + (size_t)size);
}

// Writes a string descriptor and gives its size.
static int describe(const char *text, uint8_t *out) {
  int size = 2;
  for (const char *c = text; *c; c++, size += 2) {
    out[size] = (uint8_t)*c;
    out[size + 1] = 0;
  }
  out[0] = (uint8_t)size;
  out[1] = 3;
  return size;
}
