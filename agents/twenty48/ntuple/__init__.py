"""N-tuple networks: values of afterstates, learned from games that the network plays itself.

`patterns` has the sets of patterns and their kernels, `training_settings` what a network learns
with, and `learning` the updates. `network` has the files of networks with names, and `agent` the
agent that plays with one; `learned` has those that are identified by their settings, and `learner`
the agent that learns one first.
"""
