// SPDX-License-Identifier: Apache-2.0
// A USB sound card that is a program: UAC1, full speed, 4 channels of S32 at 48 kHz each way. It
// hangs itself on the kernel's vhci_hcd over a socket pair (the USB/IP protocol), so the driver
// that serves it is the kernel's own snd-usb-audio.
//
//   usbcard PORT [WIRE_MS [RECORDING]]
//
// Inside, every output is wired to the input of its number with a delay of WIRE_MS whole frames of
// the bus (a millisecond each; 2 where it is not said). RECORDING gets what the host played, as it
// arrived. SIGUSR1 prints which bus frame it is. SIGTERM pulls the plug: the host sees the device
// leave, in the midst of whatever it did, and the device prints when it was last given a sound.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "usbip.h"

enum {
  kPacket = 768,         // bytes a bus frame and direction: 48 frames of 4 channels of 4 bytes
  kSlots = 1024,         // bus frames that the wire remembers; more than WIRE_MS
  kMostPackets = 64,     // in one request
  kMostRequests = 256,   // waiting in one direction
  kFullSpeed = 2,
  kPlayback = 0, kCapture = 1,
};

typedef struct { uint32_t offset, length, actual, status; } Packet;

typedef struct {
  uint32_t sequence;
  int packets;
  int64_t first;  // the bus frame of the first packet
  Packet packet[kMostPackets];
  uint8_t *data;
} Request;

typedef struct {
  Request waiting[kMostRequests];
  int head, count;
  int64_t next;  // the bus frame that the next request begins with
} Stream;

static const uint8_t deviceDescriptor[] = {
    18, 1, 0x10, 0x01, 0, 0, 0, 64, 0x09, 0x12, 0x03, 0x00, 0, 1, 1, 2, 3, 1};

// One streaming interface: no bandwidth, then an endpoint of kPacket bytes a bus frame.
#define STREAMING(number, terminal, endpoint, kind)                                               \
  9, 4, number, 0, 0, 1, 2, 0, 0, 9, 4, number, 1, 1, 1, 2, 0, 0, 7, 0x24, 1, terminal, 1, 1, 0,  \
      11, 0x24, 2, 1, 4, 4, 32, 1, 0x80, 0xBB, 0, 9, 5, endpoint, kind, kPacket & 0xFF,           \
      kPacket >> 8, 1, 0, 0, 7, 0x25, 1, 0, 0, 0, 0

static const uint8_t configuration[] = {
    9, 2, 174, 0, 3, 1, 0, 0x80, 50,                // three interfaces, 100 mA
    9, 4, 0, 0, 0, 1, 1, 0, 0,                      // audio control
    10, 0x24, 1, 0x00, 0x01, 52, 0, 2, 1, 2,        // its header: streams are interfaces 1 and 2
    12, 0x24, 2, 1, 0x01, 0x01, 0, 4, 0x33, 0, 0, 0,  // from USB: FL FR RL RR
    9, 0x24, 3, 2, 0x01, 0x03, 0, 1, 0,               // to a speaker
    12, 0x24, 2, 3, 0x01, 0x02, 0, 4, 0x33, 0, 0, 0,  // from a microphone
    9, 0x24, 3, 4, 0x01, 0x01, 0, 3, 0,               // to USB
    STREAMING(1, 1, 0x01, 0x09), STREAMING(2, 4, 0x81, 0x05)};
static const char *const strings[] = {"", "haprig", "haptic ring", "RING0001"};

static FILE *recording;
static Stream streams[2];
static uint8_t wire[kSlots][kPacket];
static int64_t wireFrame[kSlots];  // which bus frame a slot holds
static int64_t wireDelay = 2;
static int64_t lastSound = -1;  // the last bus frame with a sample that is not 0
static volatile sig_atomic_t marked;

static void pullPlug(int signal) {
  (void)signal;
  unplugged = 1;
}

static void mark(int signal) {
  (void)signal;
  marked = 1;
}

static void leave(void) {
  printf("last sound in bus frame %lld\n", (long long)lastSound);
  if (recording) fclose(recording);
  exit(0);
}

static int descriptor(int kind, int index, uint8_t *out) {
  if (kind == 1) return memcpy(out, deviceDescriptor, sizeof deviceDescriptor), sizeof deviceDescriptor;
  if (kind == 2) return memcpy(out, configuration, sizeof configuration), sizeof configuration;
  if (kind != 3 || index > 3) return -1;
  if (index == 0) return memcpy(out, "\4\3\11\4", 4), 4;
  return describe(strings[index], out);
}

static void control(uint32_t sequence, const uint8_t *setup) {
  int type = setup[0], request = setup[1], asked = setup[6] | setup[7] << 8, size = 0;
  uint8_t out[512] = {0};
  if (type == 0x80 && request == 6) {
    size = descriptor(setup[3], setup[2], out);
  } else if (type & 0x60) {
    size = -1;
  } else if (type & 0x80) {
    size = 2;
  }
  if (size < 0) {
    reply(sequence, -EPIPE, NULL, 0, 0);
    return;
  }
  // SET_INTERFACE starts its stream anew.
  if (type == 0x01 && request == 11 && (setup[4] == 1 || setup[4] == 2))
    streams[setup[4] - 1].next = 0;
  if (size > asked) size = asked;
  reply(sequence, 0, out, size, size);
}

static void toWire(int64_t frame, const uint8_t *data, uint32_t length) {
  uint8_t *slot = wire[frame % kSlots];
  memset(slot, 0, kPacket);
  memcpy(slot, data, length < kPacket ? length : kPacket);
  wireFrame[frame % kSlots] = frame;
  static const uint8_t silence[kPacket];
  if (frame > lastSound && memcmp(slot, silence, kPacket)) lastSound = frame;
}

static const uint8_t *hear(int64_t frame) {
  static const uint8_t silence[kPacket];
  int64_t source = frame - wireDelay;
  return source >= 0 && wireFrame[source % kSlots] == source ? wire[source % kSlots] : silence;
}

static void finish(Stream *stream, int direction) {
  static uint8_t out[sizeof(Header) + kMostPackets * (kPacket + sizeof(Packet))];
  Request *request = &stream->waiting[stream->head];
  uint8_t *end = out + sizeof(Header);
  uint32_t actual = 0;
  for (int p = 0; p < request->packets; p++) {
    Packet *packet = &request->packet[p];
    packet->actual = direction == kPlayback ? packet->length : kPacket;
    actual += packet->actual;
    if (direction == kPlayback) {
      if (recording) fwrite(request->data + packet->offset, 1, packet->length, recording);
    } else {
      memcpy(end, hear(request->first + p), kPacket);
      end += kPacket;
    }
  }
  for (int p = 0; p < request->packets; p++) {
    Packet packet = {htonl(request->packet[p].offset), htonl(request->packet[p].length),
                     htonl(request->packet[p].actual), 0};
    memcpy(end, &packet, sizeof packet);
    end += sizeof packet;
  }
  Header header = {.command = htonl(kSubmitReply), .sequence = htonl(request->sequence)};
  header.reply.actual = htonl(actual);
  header.reply.packets = htonl((uint32_t)request->packets);
  memcpy(out, &header, sizeof header);
  transmit(out, (size_t)(end - out));
  free(request->data);
  stream->head = (stream->head + 1) % kMostRequests;
  stream->count--;
}

static void submitStream(const Header *header, int direction, int64_t busFrame) {
  Stream *stream = &streams[direction];
  uint32_t length = ntohl(header->submit.length);
  int packets = (int)ntohl(header->submit.packets);
  if (packets > kMostPackets || stream->count == kMostRequests || length > kMostPackets * kPacket)
    leave();
  Request *request = &stream->waiting[(stream->head + stream->count) % kMostRequests];
  *request = (Request){.sequence = ntohl(header->sequence), .packets = packets};
  request->data = malloc(length + 1);
  if (direction == kPlayback) receive(request->data, length);
  receive(request->packet, (size_t)packets * sizeof(Packet));
  for (int p = 0; p < packets; p++) {
    Packet *packet = &request->packet[p];
    packet->offset = ntohl(packet->offset);
    packet->length = ntohl(packet->length);
    if (packet->offset > length || packet->length > length - packet->offset) leave();
  }
  // A stream that rested takes up with the bus; one that runs goes on without a hole.
  if (stream->next < busFrame - 20) stream->next = busFrame + 1;
  request->first = stream->next;
  stream->next += packets;
  // On the wire at once, though it is answered later: the host may hear a frame in a shorter
  // request than the one that it was played in.
  for (int p = 0; direction == kPlayback && p < packets; p++)
    toWire(request->first + p, request->data + request->packet[p].offset, request->packet[p].length);
  stream->count++;
}

static void unlinkRequest(const Header *header) {
  uint32_t wanted = ntohl(header->unlink.sequence);
  int status = 0;
  for (int d = 0; d < 2 && !status; d++) {
    Stream *stream = &streams[d];
    for (int i = 0; i < stream->count; i++) {
      if (stream->waiting[(stream->head + i) % kMostRequests].sequence != wanted) continue;
      free(stream->waiting[(stream->head + i) % kMostRequests].data);
      for (int j = i; j + 1 < stream->count; j++)
        stream->waiting[(stream->head + j) % kMostRequests] =
            stream->waiting[(stream->head + j + 1) % kMostRequests];
      stream->count--;
      status = -ECONNRESET;
      break;
    }
  }
  Header answer = {.command = htonl(kUnlinkReply), .sequence = header->sequence};
  answer.reply.status = htonl((uint32_t)status);
  transmit(&answer, sizeof answer);
}

static void serve(int64_t busFrame) {
  Header header;
  receive(&header, sizeof header);
  if (ntohl(header.command) == kUnlink) {
    unlinkRequest(&header);
    return;
  }
  int isIn = ntohl(header.direction) != 0;
  if (ntohl(header.endpoint) != 0) {
    submitStream(&header, isIn ? kCapture : kPlayback, busFrame);
    return;
  }
  uint8_t data[4096];
  uint32_t length = ntohl(header.submit.length);
  if (!isIn && length > sizeof data) leave();
  if (!isIn) receive(data, length);
  control(ntohl(header.sequence), header.submit.setup);
}

static void plugIn(const char *port) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
    perror("usbcard: socketpair");
    exit(1);
  }
  int attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
  char line[64];
  int length = snprintf(line, sizeof line, "%s %d %d %d", port, pair[1], 0x10003, kFullSpeed);
  if (attach < 0 || write(attach, line, (size_t)length) != length) {
    perror("usbcard: vhci_hcd (is the module loaded?)");
    exit(1);
  }
  close(attach);
  close(pair[1]);
  bus = pair[0];
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usbcard: expected PORT [WIRE_MS [RECORDING]]\n");
    return 2;
  }
  if (count > 2) wireDelay = atoi(words[2]);
  if (wireDelay < 0 || wireDelay >= kSlots / 2) return 2;
  if (count > 3 && !(recording = fopen(words[3], "wb"))) {
    perror(words[3]);
    return 2;
  }
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = pullPlug}, NULL);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = mark}, NULL);
  signal(SIGPIPE, SIG_IGN);
  for (int s = 0; s < kSlots; s++) wireFrame[s] = -1;
  plugIn(words[1]);

  int64_t began = microseconds();
  while (!unplugged) {
    // Bus frame n passes from n to n + 1 milliseconds; a request is answered when its last frame
    // has passed.
    int64_t now = microseconds() - began, wait = 1000000;
    if (marked) printf("marked in bus frame %lld\n", (long long)(now / 1000));
    marked = 0;
    for (int d = 0; d < 2; d++) {
      Stream *stream = &streams[d];
      while (stream->count) {
        Request *request = &stream->waiting[stream->head];
        int64_t due = (request->first + request->packets) * 1000;
        if (due > now) {
          if (due - now < wait) wait = due - now;
          break;
        }
        finish(stream, d);
      }
    }
    struct pollfd ready = {.fd = bus, .events = POLLIN};
    struct timespec patience = {.tv_sec = wait / 1000000, .tv_nsec = wait % 1000000 * 1000};
    if (ppoll(&ready, 1, &patience, NULL) > 0) serve((microseconds() - began) / 1000);
  }
  leave();
}
