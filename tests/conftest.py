"""What holds for all tests."""

import signal

# A shell starts background jobs, and all their children, with Ctrl-C ignored. Tests that interrupt
# a program would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
