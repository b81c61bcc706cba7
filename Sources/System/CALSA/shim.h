// SPDX-License-Identifier: Apache-2.0
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <sys/timerfd.h>
