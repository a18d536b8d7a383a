"""N-tuple networks: values of afterstates, learned from games that the network plays itself.

`patterns` has the sets of patterns and their kernels, `training_settings` has the settings of
learning, and `learning` has the updates. `network` reads the files of named networks, and
`agent` plays with such a network. `learned` has the networks that are identified by their settings,
and `learner` is the agent that first learns such a network.
"""
