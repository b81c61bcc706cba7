# SPDX-License-Identifier: Apache-2.0
"""haprig's fleet, carried by Buildbot; docs/decisions/052 has why."""
