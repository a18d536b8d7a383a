"""N-tuple networks: values of afterstates, learned from games that the network plays itself.

`patterns` has the sets of patterns and their kernels, `learning` the updates, `network` the files
of trained networks, and `agent` the agent that plays with one.
"""
