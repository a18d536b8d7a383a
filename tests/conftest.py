"""What holds for all tests."""

import signal

# A shell starts what it is to do in the background with Ctrl-C ignored, and so do all whom that starts: tests that
# interrupt a program would wait in vain.
signal.signal(signal.SIGINT, signal.default_int_handler)
