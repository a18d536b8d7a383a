"""N-tuple networks: values of afterstates, learned from games that the network plays itself.

`patterns` has the sets of patterns and their kernels, `training_settings` has the settings of
learning, and `learning` has the updates of weights. `network` reads the files of networks that have
a name, and `agent` has the agent that plays with such a network. `learned` has networks that are
identified by their settings instead of a name. `learner` has the agent that learns such a network
before it plays.
"""
