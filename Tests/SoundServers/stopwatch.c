// SPDX-License-Identifier: Apache-2.0
// How long a program goes on sounding after a signal: an outsider's ear on the virtual card.
//
//   stopwatch PCM CHANNEL CHANNELS SIGNAL SECONDS PROGRAM ARGUMENT...
//
// Captures from PCM (a virtual card on its real clock, whose other side the PROGRAM plays on), starts the
// program, sends it the signal SECONDS and a random part of 100 ms after it first sounds on CHANNEL
// (from 1), and listens for 300 ms more. Prints one line:
//
//   silent_after=FRAMES ms=MILLISECONDS code=STATUS
//
// The frames are those of the card between the moment of the signal and the last one that is not zero.
#include <alsa/asoundlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kRate = 48000, kBlock = 48, kMostChannels = 64 };

static void check(int code, const char *what) {
  if (code >= 0) return;
  fprintf(stderr, "stopwatch: %s: %s\n", what, snd_strerror(code));
  exit(2);
}

int main(int count, char **words) {
  if (count < 7) {
    fprintf(stderr, "stopwatch: expected PCM CHANNEL CHANNELS SIGNAL SECONDS PROGRAM ARGUMENT...\n");
    return 2;
  }
  unsigned channel = atoi(words[2]) - 1, channels = atoi(words[3]);
  int number = atoi(words[4]);
  if (channels > kMostChannels || channel >= channels) return 2;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  srand(now.tv_nsec);
  long long wait = atof(words[5]) * kRate + rand() % (kRate / 10);

  snd_pcm_t *pcm;
  check(snd_pcm_open(&pcm, words[1], SND_PCM_STREAM_CAPTURE, 0), "open");
  check(snd_pcm_set_params(pcm, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_ACCESS_RW_INTERLEAVED, channels, kRate,
                           0, 500000), "set up");
  check(snd_pcm_start(pcm), "start");
  pid_t program = fork();
  if (program == 0) {
    execvp(words[6], words + 6);
    _exit(127);
  }
  static float block[kBlock * kMostChannels];
  long long frame = 0, first = -1, asked = -1, last = -1, end = 60LL * kRate;
  while (frame < end) {
    snd_pcm_sframes_t got = snd_pcm_readi(pcm, block, kBlock);
    if (got < 0) check((int)got, "read: this machine is too busy");
    for (snd_pcm_sframes_t f = 0; f < got; f++) {
      if (block[f * channels + channel] == 0) continue;
      last = frame + f;
      if (first < 0) first = last;
    }
    frame += got;
    if (asked < 0 && waitpid(program, NULL, WNOHANG) == program) break;
    if (asked < 0 && first >= 0 && frame >= first + wait) {
      // Where the card is at this moment: what was read, and what lies in the buffer.
      snd_pcm_sframes_t inside = snd_pcm_avail(pcm);
      kill(program, number);
      asked = frame + (inside > 0 ? inside : 0);
      end = asked + 3 * kRate / 10;
    }
  }
  snd_pcm_close(pcm);
  int status = 0;
  if (asked < 0) kill(program, SIGKILL);
  waitpid(program, &status, 0);
  if (asked < 0 || last < first + wait - kRate / 100) {
    fprintf(stderr, "stopwatch: the program did not sound up to the signal\n");
    return 1;
  }
  printf("silent_after=%lld ms=%.2f code=%d\n", last - asked, 1e3 * (last - asked) / kRate,
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
