// SPDX-License-Identifier: Apache-2.0
// A board of the haprig protocol (docs/PROTOCOL-BOARD.md) that is a program: high speed, two outputs,
// each wired to the sensor of its number. It hangs itself on the kernel's vhci_hcd over a socket pair
// (the USB/IP protocol), so that what speaks to it goes through the kernel's own USB. Written from the
// document alone: no line of it is shared with the codec or the reference board.
//
//   usbboard PORT [SERIAL]
//
// SIGUSR1 stalls the next drive packet, SIGHUP babbles (its next packet is longer than there is room for),
// SIGUSR2 stops every answer, SIGTERM pulls the plug. At the end
// it prints what it counted, its state when the plug was pulled (0 idle, 1 running, 2 silenced), and how long
// its output was driven after the latest signal before that, or after that where there was none.
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
  kHighSpeed = 3,
  kBuffer = 1024,      // drive frames that wait
  kMostRequests = 64,  // IN transfers that wait
  kMostPackets = 256,  // packets that wait for the host
  kChannels = 2,
  kTickRate = 1000000,
  kWatchdog = 20000,
  kStatusEvery = 50000,
};

static const uint8_t deviceDescriptor[] = {
    18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x52, 0x48, 0, 1, 1, 2, 3, 1};
static const uint8_t configuration[] = {
    9, 2, 32, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, 0xFF, 0x48, 0x01, 0,
    7, 5, 0x01, 2, 0x00, 0x02, 0, 7, 5, 0x81, 2, 0x00, 0x02, 0};
static const char *strings[] = {"", "haprig", "ring board", "BOARD0001"};

static struct { uint32_t sequence, length; } requests[kMostRequests];
static int requestCount;
static struct { uint8_t bytes[512]; int size; } outbox[kMostPackets];
static int outboxHead, outboxCount;

static uint32_t nextSequence, expected, session, packetsIn;
static uint32_t totalUnderruns, totalDamaged, totalLost;  // of all sessions
static int greeted, state;
static uint16_t faults;
static uint32_t driveRate, sensorRate, underruns, damaged, lost, peak;
static int64_t startTick, lastDrive, nextStatus;
static int64_t nextFrame, sensorFrame;  // the next to be played, the next to be felt
static int32_t buffer[kBuffer][kChannels];
static int64_t bufferedUntil;  // frames nextFrame..<bufferedUntil are there
static int32_t output[kChannels];
static int16_t felt[64][kChannels];
static int feltCount;

static int64_t marked = -1, zeroAt = -1;
static volatile sig_atomic_t stallNext, babbleNext, deaf, sawSignal;

static void onSignal(int number) {
  if (number == SIGTERM) unplugged = 1;
  if (number == SIGUSR1) stallNext = 1;
  if (number == SIGHUP) babbleNext = 1;
  if (number == SIGUSR2) deaf = 1;
  sawSignal = 1;
}

// A tick is a microsecond.
static int64_t ticks(void) { return microseconds(); }

static void leave(void) {
  printf("%u packets in, %u out, %u underruns, %u damaged, %u lost\n", packetsIn, nextSequence,
         totalUnderruns, totalDamaged, totalLost);
  if (marked >= 0 && zeroAt >= marked)
    printf("driven for %lld us after the signal\n", (long long)(zeroAt - marked));
  else if (marked >= 0)
    printf(output[0] || output[1] ? "still driven\n" : "not driven at the signal\n");
  exit(0);
}

// Gives waiting packets to waiting transfers.
static void pump(void) {
  if (babbleNext && requestCount) {
    // What the host's controller says then; bytes beyond the room never cross the bus.
    babbleNext = 0;
    reply(requests[0].sequence, -EOVERFLOW, 0, 0, 0);
    memmove(requests, requests + 1, (size_t)--requestCount * sizeof requests[0]);
  }
  while (!deaf && requestCount && outboxCount) {
    int size = outbox[outboxHead].size;
    if (size > (int)requests[0].length) size = (int)requests[0].length;
    reply(requests[0].sequence, 0, outbox[outboxHead].bytes, size, size);
    memmove(requests, requests + 1, (size_t)--requestCount * sizeof requests[0]);
    outboxHead = (outboxHead + 1) % kMostPackets;
    outboxCount--;
  }
}

static uint32_t crc32(const uint8_t *bytes, int size) {
  uint32_t sum = 0xFFFFFFFF;
  for (int i = 0; i < size; i++) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

static void put(uint8_t *to, uint32_t value, int size) {
  for (int i = 0; i < size; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get(const uint8_t *from, int size) {
  uint32_t value = 0;
  for (int i = 0; i < size; i++) value |= (uint32_t)from[i] << 8 * i;
  return value;
}

static void say(uint8_t kind, const uint8_t *payload, int size, int64_t tick) {
  uint32_t sequence = nextSequence++;
  if (outboxCount == kMostPackets) {
    faults |= 1 << 6;
    return;
  }
  uint8_t *to = outbox[(outboxHead + outboxCount) % kMostPackets].bytes;
  memcpy(to, "HR\1", 3);
  to[3] = kind;
  put(to + 4, (uint32_t)size, 4);
  put(to + 8, sequence, 4);
  put(to + 12, (uint32_t)tick, 4);
  memcpy(to + 16, payload, (size_t)size);
  put(to + 16 + size, crc32(to, 16 + size), 4);
  outbox[(outboxHead + outboxCount++) % kMostPackets].size = size + 20;
}

static void sayIdentity(void) {
  uint8_t p[80] = {0};
  put(p, session, 4);
  put(p + 4, kTickRate, 4);
  for (int list = 0; list < 2; list++) {
    put(p + 8 + 16 * list, 8000, 4);
    put(p + 12 + 16 * list, 48000, 4);
  }
  p[40] = p[41] = kChannels;
  put(p + 42, kBuffer, 2);
  p[44] = 1;
  put(p + 46, 1, 2);
  put(p + 48, 3600000, 4);
  put(p + 52, 160000000, 4);
  memcpy(p + 64, strings[3], strlen(strings[3]));
  say(0x81, p, 80, ticks());
}

static void sayStatus(void) {
  uint8_t p[28] = {0};
  p[0] = (uint8_t)state;
  put(p + 2, faults, 2);
  put(p + 4, bufferedUntil > nextFrame ? (uint32_t)(bufferedUntil - nextFrame) : 0, 2);
  put(p + 8, (uint32_t)startTick, 4);
  put(p + 12, (uint32_t)nextFrame, 4);
  put(p + 16, underruns, 4);
  put(p + 20, damaged, 4);
  put(p + 24, lost, 4);
  say(0x82, p, 28, ticks());
  nextStatus = ticks() + kStatusEvery;
}

static void refuse(uint8_t kind, uint32_t sequence, uint8_t reason) {
  uint8_t p[8] = {0};
  put(p, sequence, 4);
  p[4] = kind;
  p[5] = reason;
  say(0x85, p, 8, ticks());
}

static void drive(int32_t left, int32_t right, int64_t now) {
  int was = output[0] || output[1];
  output[0] = left;
  output[1] = right;
  if (was && !left && !right) zeroAt = now;
}

static void flush(void) {
  if (!feltCount) return;
  uint8_t p[8 + sizeof felt] = {0};
  int64_t first = sensorFrame - feltCount;
  put(p, (uint32_t)first, 4);
  p[4] = kChannels;
  p[5] = 1;
  put(p + 6, (uint32_t)feltCount, 2);
  for (int i = 0; i < feltCount * kChannels; i++)
    put(p + 8 + 2 * i, (uint16_t)felt[i / kChannels][i % kChannels], 2);
  say(0x83, p, 8 + feltCount * kChannels * 2, startTick + first * kTickRate / sensorRate);
  feltCount = 0;
}

static void hush(uint16_t fault) {
  faults |= fault;
  if (state == 1) state = 2;
  bufferedUntil = nextFrame;
  drive(0, 0, ticks());
  sayStatus();
}

// Lets time pass: at one tick drive comes before the sensors.
static void advance(int64_t now) {
  while (state) {
    int64_t playTick =
        state == 1 && driveRate ? startTick + nextFrame * kTickRate / driveRate : INT64_MAX;
    int64_t feelTick = sensorRate ? startTick + sensorFrame * kTickRate / sensorRate : INT64_MAX;
    int64_t dogTick =
        state == 1 && driveRate
            ? (lastDrive > startTick ? lastDrive : startTick) + kWatchdog : INT64_MAX;
    if (playTick <= now && playTick <= feelTick && playTick <= dogTick) {
      if (nextFrame < bufferedUntil) {
        drive(buffer[nextFrame % kBuffer][0], buffer[nextFrame % kBuffer][1], playTick);
      } else {
        underruns++;
        totalUnderruns++;
        faults |= 1 << 1;
        drive(0, 0, playTick);
      }
      nextFrame++;
    } else if (dogTick <= now && dogTick <= feelTick) {
      hush(1);
    } else if (feelTick <= now) {
      for (int c = 0; c < kChannels; c++) felt[feltCount][c] = (int16_t)output[c];
      feltCount++;
      sensorFrame++;
      if (feltCount >= (int)sensorRate / 1000) flush();
    } else {
      break;
    }
  }
  if (greeted && now >= nextStatus) sayStatus();
}

// Whether a stream may run at a rate of a start; 0 is none.
static int isRate(uint32_t rate) { return !rate || rate == 8000 || rate == 48000; }

static void take(const uint8_t *p, uint8_t kind, int size, uint32_t sequence, uint32_t tick) {
  int64_t now = ticks();
  switch (kind) {
    case 0x02:
      if (state == 1) return refuse(kind, sequence, 5);
      if (!isRate(get(p, 4)) || !isRate(get(p + 4, 4)) || get(p + 8, 4) >= kWatchdog)
        return refuse(kind, sequence, 4);
      driveRate = get(p, 4);
      sensorRate = get(p + 4, 4);
      peak = get(p + 12, 2);
      startTick = now + get(p + 8, 4);
      lastDrive = startTick;
      nextFrame = sensorFrame = bufferedUntil = 0;
      feltCount = 0;
      underruns = faults = 0;
      state = 1;
      return sayStatus();
    case 0x03:
      if (state) flush();
      state = 0;
      bufferedUntil = nextFrame;
      drive(0, 0, now);
      return sayStatus();
    case 0x04: return hush(0);
    case 0x05: {
      if (state != 1) return refuse(kind, sequence, 5);
      int frames = (int)get(p + 6, 2);
      int64_t first = nextFrame + (int32_t)(get(p, 4) - (uint32_t)nextFrame);
      int64_t due = startTick + first * kTickRate / driveRate;
      int32_t apart = (int32_t)(tick - (uint32_t)due);
      if (p[4] != kChannels) return refuse(kind, sequence, 4);
      if (p[5] != 1 || size != 8 + frames * kChannels * 2) return refuse(kind, sequence, 3);
      if (abs(apart) > (int)(kTickRate / driveRate) + 1) return refuse(kind, sequence, 6);
      if (frames) lastDrive = now;
      if (bufferedUntil < nextFrame) bufferedUntil = nextFrame;
      for (int i = 0; i < frames; i++) {
        int64_t frame = first + i;
        if (frame < nextFrame) continue;
        if (frame >= nextFrame + kBuffer) {
          faults |= 1 << 2;
          continue;
        }
        // What lies between was lost on the way: zero.
        for (; bufferedUntil < frame; bufferedUntil++)
          memset(buffer[bufferedUntil % kBuffer], 0, sizeof buffer[0]);
        for (int c = 0; c < kChannels; c++) {
          int32_t sample = (int16_t)get(p + 8 + 2 * (i * kChannels + c), 2);
          int32_t limit = (int32_t)((int64_t)32767 * peak / 65535);
          if (sample > limit || sample < -limit) {
            faults |= 1 << 5;
            sample = sample > 0 ? limit : -limit;
          }
          buffer[frame % kBuffer][c] = sample;
        }
        if (bufferedUntil == frame) bufferedUntil++;
      }
      return;
    }
    case 0x06: {
      uint8_t answer[12];
      memcpy(answer, p, 8);
      put(answer + 8, (uint32_t)now, 4);
      return say(0x84, answer, 12, ticks());
    }
    default: refuse(kind, sequence, 2);
  }
}

// One transfer from the host; haprig puts one packet into each.
static void takeTransfer(const uint8_t *bytes, int size) {
  if (size < 20 || memcmp(bytes, "HR", 2)) return;
  int length = (int)get(bytes + 4, 2);
  if (length > 492 || size != length + 20 || get(bytes + 16 + length, 4) != crc32(bytes, 16 + length)) {
    damaged++;
    totalDamaged++;
    faults |= 1 << 3;
    return;
  }
  uint32_t sequence = get(bytes + 8, 4);
  packetsIn++;
  if (bytes[3] == 0x01) {
    session = get(bytes + 16, 4);
    outboxCount = 0;
    greeted = 1;
    state = 0;
    nextSequence = 0;
    expected = sequence + 1;
    underruns = damaged = lost = faults = 0;
    drive(0, 0, ticks());
    sayIdentity();
    return sayStatus();
  }
  if (!greeted) return;
  int32_t ahead = (int32_t)(sequence - expected);
  if (ahead) faults |= 1 << 4;
  if (ahead < 0) return;
  lost += (uint32_t)ahead;
  totalLost += (uint32_t)ahead;
  expected = sequence + 1;
  if (bytes[2] != 1) return refuse(bytes[3], sequence, 1);
  take(bytes + 16, bytes[3], length, sequence, get(bytes + 12, 4));
}

static void control(uint32_t sequence, const uint8_t *setup) {
  uint8_t out[256] = {0};
  int wanted = setup[6] | setup[7] << 8, size = 0;
  if (setup[0] == 0x80 && setup[1] == 6) {
    int kind = setup[3], index = setup[2];
    if (kind == 1) memcpy(out, deviceDescriptor, (size_t)(size = sizeof deviceDescriptor));
    else if (kind == 2) memcpy(out, configuration, (size_t)(size = sizeof configuration));
    else if (kind == 3 && index == 0) memcpy(out, "\4\3\11\4", (size_t)(size = 4));
    else if (kind == 3 && index < 4) size = describe(strings[index], out);
    else return reply(sequence, -EPIPE, 0, 0, 0);
  } else if (setup[0] & 0x60) {
    return reply(sequence, -EPIPE, 0, 0, 0);
  } else if (setup[0] & 0x80) {
    size = 2;
  }
  if (size > wanted) size = wanted;
  reply(sequence, 0, out, size, size);
}

static void serve(void) {
  static uint8_t data[65536];
  Header header;
  receive(&header, sizeof header);
  uint32_t sequence = ntohl(header.sequence);
  if (ntohl(header.command) == kUnlink) {
    uint32_t which = ntohl(header.unlink.sequence);
    int hit = 0;
    for (int i = 0; i < requestCount && !hit; i++)
      if (requests[i].sequence == which) {
        memmove(requests + i, requests + i + 1, (size_t)(--requestCount - i) * sizeof requests[0]);
        hit = 1;
      }
    Header answer = {.command = htonl(kUnlinkReply), .sequence = htonl(sequence)};
    answer.reply.status = htonl((uint32_t)(hit ? -ECONNRESET : 0));
    return transmit(&answer, sizeof answer);
  }
  uint32_t length = ntohl(header.submit.length);
  int isIn = ntohl(header.direction) != 0;
  if (!isIn && length > sizeof data) leave();
  if (!isIn && length) receive(data, length);
  if (!header.endpoint) return control(sequence, header.submit.setup);
  if (isIn) {
    if (requestCount == kMostRequests) leave();
    requests[requestCount].sequence = sequence;
    requests[requestCount++].length = length;
    return;
  }
  if (deaf) return;
  if (stallNext) {
    stallNext = 0;
    return reply(sequence, -EPIPE, 0, 0, 0);
  }
  advance(ticks());
  takeTransfer(data, (int)length);
  reply(sequence, 0, 0, 0, (int)length);
}

int main(int count, char **words) {
  int pair[2];
  char text[64];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count > 2) strings[3] = words[2];
  int attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
  if (count < 2 || attach < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
    fprintf(stderr, "usage: usbboard PORT [SERIAL], with vhci-hcd loaded\n");
    return 2;
  }
  struct sigaction action = {.sa_handler = onSignal};
  int signals[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  for (int i = 0; i < 4; i++) sigaction(signals[i], &action, NULL);
  int size = snprintf(text, sizeof text, "%s %d %d %d", words[1], pair[1], 0x10002, kHighSpeed);
  if (write(attach, text, (size_t)size) != size) {
    perror("attach");
    return 1;
  }
  close(attach);
  close(pair[1]);
  bus = pair[0];
  while (!unplugged) {
    struct pollfd wait = {bus, POLLIN, 0};
    struct timespec period = {0, 250000};
    int ready = ppoll(&wait, 1, &period, NULL);
    if (sawSignal && !unplugged) {
      sawSignal = 0;
      marked = ticks();
    }
    if (ready > 0) serve();
    advance(ticks());
    pump();
  }
  if (marked < 0) marked = ticks();
  printf("in state %d at the unplug\n", state);
  shutdown(bus, SHUT_RDWR);
  // What a board does by itself when its host is gone.
  usleep(kWatchdog + 5000);
  advance(ticks());
  leave();
}
