// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>
