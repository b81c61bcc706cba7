// SPDX-License-Identifier: Apache-2.0
// A JACK client with a known delay: in_1 goes to out_1 as it is, in_2 to out_2 DELAY frames later.
//
//   jackdelay DELAY
//
// Named `ringdelay`. Prints a line 'xrun' for each one that the server reports. SIGTERM ends it.
#include <jack/jack.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostDelay = 1 << 16 };

static jack_port_t *in[2], *out[2];
static float line[kMostDelay];
static unsigned at, delay;

static int process(jack_nframes_t frames, void *unused) {
  (void)unused;
  float *direct = jack_port_get_buffer(out[0], frames), *delayed = jack_port_get_buffer(out[1], frames);
  const float *heard = jack_port_get_buffer(in[1], frames);
  memcpy(direct, jack_port_get_buffer(in[0], frames), frames * sizeof(float));
  for (jack_nframes_t f = 0; f < frames; f++) {
    float sample = heard[f];
    delayed[f] = delay ? line[at] : sample;
    if (!delay) continue;
    line[at] = sample;
    at = (at + 1) % delay;
  }
  return 0;
}

static int reportXrun(void *unused) {
  (void)unused;
  static const char word[] = "xrun\n";
  return write(STDOUT_FILENO, word, sizeof word - 1) < 0;
}

int main(int count, char **words) {
  delay = count > 1 ? (unsigned)atoi(words[1]) : kMostDelay + 1;
  if (delay > kMostDelay) {
    fprintf(stderr, "jackdelay: expected a DELAY of 0 to %d frames\n", kMostDelay);
    return 2;
  }
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  // Blocked before JACK makes its threads, so that only the wait below gets them.
  sigprocmask(SIG_BLOCK, &ending, NULL);
  jack_client_t *client = jack_client_open("ringdelay", JackNoStartServer, NULL);
  if (!client) {
    fprintf(stderr, "jackdelay: no JACK server answers\n");
    return 1;
  }
  for (int p = 0; p < 2; p++) {
    char name[8];
    snprintf(name, sizeof name, "in_%d", p + 1);
    in[p] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    snprintf(name, sizeof name, "out_%d", p + 1);
    out[p] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  }
  jack_set_process_callback(client, process, NULL);
  jack_set_xrun_callback(client, reportXrun, NULL);
  if (jack_activate(client)) return 1;
  int received;
  sigwait(&ending, &received);
  jack_client_close(client);
  return 0;
}
