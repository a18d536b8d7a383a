"""What holds for all tests."""

import signal

# A shell starts background jobs, and all their children, with Ctrl-C ignored, and nohup does so
# with SIGHUP. Tests that interrupt a program would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
