#include <cminpack.h>
