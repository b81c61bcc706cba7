// SPDX-License-Identifier: Apache-2.0
// Plays a counted pattern on one ALSA PCM, records another at the same time and compares every
// sample: the plain yardstick that haprig's own engine stands beside in the rings.
//
//   duplex PLAYBACK CAPTURE FORMAT CHANNELS PERIOD PERIODS SECONDS [PRIORITY]
//
// FORMAT is S16, S32 or FLOAT. With a PRIORITY the process runs SCHED_FIFO with memory locked.
// Frame n carries on channel c the number (n + 7919 c) mod M + 1, so a lost, doubled, swapped or
// altered sample shows, and 0 is silence. The delay of a channel is the number of frames from the
// first one played to the first one captured, plus the start skew of the two streams; the
// difference between two channels has no skew in it.
//
// Prints one line of NAME=VALUE pairs. Exit: 0 every sample right, 1 not, 2 no such PCM or
// parameters refused, 3 the device went away.
#include <alsa/asoundlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kMostChannels = 8, kRate = 48000, kSkew = 7919 };
static const int64_t kUnknown = INT64_MIN;

typedef struct {
  snd_pcm_format_t format;
  unsigned channels;
  uint64_t modulus;
} Layout;

typedef struct {
  long good, wrong, silent, jumps;
  int64_t next;   // the number that must follow; -1 before the first
  int64_t delay;  // frames; kUnknown before the first sound
  int64_t firstDelay;
} Channel;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void check(int status, const char *what) {
  if (status >= 0) return;
  fprintf(stderr, "duplex: %s: %s\n", what, snd_strerror(status));
  exit(status == -ENODEV || status == -EBADFD ? 3 : 2);
}

// The error that a call gave stays in the message when its recovery fails too.
static void recover(snd_pcm_t *pcm, int status, const char *what) {
  int again = snd_pcm_recover(pcm, status, 1);
  if (again >= 0) return;
  fprintf(stderr, "duplex: %s: %s (%d)\n", what, snd_strerror(status), status);
  check(again, "recovery");
}

static uint64_t numberAt(const Layout *layout, uint64_t frame, unsigned channel) {
  return (frame + (uint64_t)channel * kSkew) % layout->modulus + 1;
}

static void put(const Layout *layout, void *to, unsigned at, uint64_t number) {
  switch (layout->format) {
    case SND_PCM_FORMAT_S16_LE: ((int16_t *)to)[at] = (int16_t)(uint16_t)number; break;
    case SND_PCM_FORMAT_S32_LE: ((int32_t *)to)[at] = (int32_t)(uint32_t)number; break;
    default: ((float *)to)[at] = (float)(int16_t)(uint16_t)number / 32768;
  }
}

static uint64_t get(const Layout *layout, const void *from, unsigned at) {
  switch (layout->format) {
    case SND_PCM_FORMAT_S16_LE: return (uint16_t)((const int16_t *)from)[at];
    case SND_PCM_FORMAT_S32_LE: return (uint32_t)((const int32_t *)from)[at];
    default: {
      float value = ((const float *)from)[at] * 32768;
      int whole = (int)value;
      // Half a step off is a sample that something altered: no number of the pattern.
      return (float)whole == value ? (uint16_t)(int16_t)whole : UINT32_MAX;
    }
  }
}

static void compare(const Layout *layout, Channel *channel, unsigned index, uint64_t number,
                    int64_t frame) {
  if (number == 0) {
    channel->silent++;
    if (channel->next >= 0) channel->jumps++;
    channel->next = -1;
    return;
  }
  if (number > layout->modulus) {
    channel->wrong++;
    return;
  }
  if (channel->next >= 0 && (int64_t)number == channel->next) {
    channel->good++;
  } else {
    if (channel->next >= 0) channel->jumps++;
    // The frame that was played, of all that carry this number the last one before this capture.
    int64_t modulus = (int64_t)layout->modulus;
    int64_t played = ((int64_t)number - 1 - (int64_t)index * kSkew) % modulus;
    if (played < 0) played += modulus;
    int64_t delay = frame - played;
    if (delay > modulus / 2) delay = (delay + modulus / 2) % modulus - modulus / 2;
    channel->delay = delay;
    if (channel->firstDelay == kUnknown) channel->firstDelay = delay;
  }
  channel->next = (int64_t)(number % layout->modulus) + 1;
}

static snd_pcm_t *openPCM(const char *name, snd_pcm_stream_t stream) {
  snd_pcm_t *pcm;
  // A busy card would hold an ordinary open until it is free.
  check(snd_pcm_open(&pcm, name, stream, SND_PCM_NONBLOCK), name);
  snd_pcm_nonblock(pcm, 0);
  return pcm;
}

static void configure(snd_pcm_t *pcm, const Layout *layout, snd_pcm_uframes_t period,
                      unsigned periods, snd_pcm_uframes_t startAt) {
  snd_pcm_hw_params_t *hardware;
  snd_pcm_sw_params_t *software;
  snd_pcm_hw_params_alloca(&hardware);
  snd_pcm_sw_params_alloca(&software);
  check(snd_pcm_hw_params_any(pcm, hardware), "parameters");
  check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "access");
  check(snd_pcm_hw_params_set_format(pcm, hardware, layout->format), "format");
  check(snd_pcm_hw_params_set_channels(pcm, hardware, layout->channels), "channels");
  check(snd_pcm_hw_params_set_rate(pcm, hardware, kRate, 0), "rate");
  check(snd_pcm_hw_params_set_period_size(pcm, hardware, period, 0), "period");
  check(snd_pcm_hw_params_set_buffer_size(pcm, hardware, period * periods), "buffer");
  check(snd_pcm_hw_params(pcm, hardware), "hardware parameters");
  check(snd_pcm_sw_params_current(pcm, software), "software parameters");
  check(snd_pcm_sw_params_set_start_threshold(pcm, software, startAt), "start threshold");
  check(snd_pcm_sw_params_set_avail_min(pcm, software, period), "wake-up");
  check(snd_pcm_sw_params(pcm, software), "software parameters");
}

static void runInRealTime(int priority) {
  struct sched_param wanted = {.sched_priority = priority};
  if (sched_setscheduler(0, SCHED_FIFO, &wanted)) perror("duplex: SCHED_FIFO");
  // Under a limit the lock is granted to a small program, and what ALSA loads later then finds no room.
  struct rlimit limit;
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur != RLIM_INFINITY && geteuid() != 0) return;
  if (mlockall(MCL_CURRENT | MCL_FUTURE)) perror("duplex: mlockall");
}

static uint64_t fill(const Layout *layout, void *block, snd_pcm_uframes_t frames, uint64_t next) {
  for (snd_pcm_uframes_t f = 0; f < frames; f++, next++)
    for (unsigned c = 0; c < layout->channels; c++)
      put(layout, block, f * layout->channels + c, numberAt(layout, next, c));
  return next;
}

int main(int count, char **words) {
  if (count < 8) {
    fprintf(stderr,
            "duplex: expected PLAYBACK CAPTURE FORMAT CHANNELS PERIOD PERIODS SECONDS [PRIORITY]\n");
    return 2;
  }
  Layout layout = {.format = SND_PCM_FORMAT_FLOAT_LE, .channels = atoi(words[4]), .modulus = 65535};
  if (!strcmp(words[3], "S16")) layout.format = SND_PCM_FORMAT_S16_LE;
  if (!strcmp(words[3], "S32")) {
    layout.format = SND_PCM_FORMAT_S32_LE;
    layout.modulus = UINT32_MAX;
  }
  snd_pcm_uframes_t period = atoi(words[5]);
  unsigned periods = atoi(words[6]);
  long turns = (long)(atof(words[7]) * kRate / period);
  if (layout.channels < 1 || layout.channels > kMostChannels) return 2;
  if (count > 8) runInRealTime(atoi(words[8]));

  snd_pcm_t *playback = openPCM(words[1], SND_PCM_STREAM_PLAYBACK);
  snd_pcm_t *capture = openPCM(words[2], SND_PCM_STREAM_CAPTURE);
  configure(playback, &layout, period, periods, period * periods);
  configure(capture, &layout, period, periods, 1 << 30);
  void *drive = calloc(period * layout.channels, 4), *heard = calloc(period * layout.channels, 4);
  Channel channels[kMostChannels];
  for (unsigned c = 0; c < kMostChannels; c++)
    channels[c] = (Channel){.next = -1, .delay = kUnknown, .firstDelay = kUnknown};

  long playbackXruns = 0, captureXruns = 0;
  int64_t captured = 0;
  uint64_t next = 0;
  check(snd_pcm_start(capture), "start of the capture");
  for (unsigned k = 0; k < periods; k++) {
    next = fill(&layout, drive, period, next);
    check(snd_pcm_writei(playback, drive, period), "first frames");
  }
  double began = now(), last = began, longest = 0;
  for (long turn = 0; turn < turns; turn++) {
    snd_pcm_sframes_t got = snd_pcm_readi(capture, heard, period);
    if (got < 0) {
      captureXruns++;
      recover(capture, got, "capture");
      check(snd_pcm_start(capture), "restart of the capture");
      continue;
    }
    double at = now();
    if (turn > 4 && at - last > longest) longest = at - last;
    last = at;
    for (snd_pcm_sframes_t f = 0; f < got; f++, captured++)
      for (unsigned c = 0; c < layout.channels; c++)
        compare(&layout, &channels[c], c, get(&layout, heard, f * layout.channels + c), captured);
    next = fill(&layout, drive, period, next);
    got = snd_pcm_writei(playback, drive, period);
    if (got < 0) {
      playbackXruns++;
      recover(playback, got, "playback");
      check(snd_pcm_writei(playback, drive, period), "playback");
    }
  }
  double took = now() - began;

  long wrong = 0, jumps = 0, good = 0;
  int unheard = 0, moved = 0;
  for (unsigned c = 0; c < layout.channels; c++) {
    good += channels[c].good;
    wrong += channels[c].wrong;
    jumps += channels[c].jumps;
    unheard |= channels[c].good == 0;
    moved |= channels[c].delay != channels[c].firstDelay;
  }
  printf("period=%lu periods=%u audio_s=%.3f wall_s=%.3f xruns_play=%ld xruns_capture=%ld "
         "good=%ld wrong=%ld jumps=%ld wake_gap_ms=%.2f delay=",
         (unsigned long)period, periods, (double)turns * period / kRate, took, playbackXruns,
         captureXruns, good, wrong, jumps, longest * 1e3);
  for (unsigned c = 0; c < layout.channels; c++)
    printf("%s%lld", c ? "," : "", (long long)channels[c].delay);
  printf(moved ? " moved=1\n" : "\n");
  snd_pcm_drop(playback);
  snd_pcm_drop(capture);
  snd_pcm_close(playback);
  snd_pcm_close(capture);
  return wrong || jumps || playbackXruns || captureXruns || unheard;
}
