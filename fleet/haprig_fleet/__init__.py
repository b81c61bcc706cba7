"""haprig's fleet, carried by Buildbot; docs/decisions/052 has why."""
