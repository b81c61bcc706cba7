// SPDX-License-Identifier: Apache-2.0
#include <cminpack.h>
