"""Samplers compared on simulated studies whose truth is known, at equal numbers of games.

A real study cannot show how good a sampler is: the best observed mean is partly luck, and the true
front is unknown. Here a surface (:mod:`.surfaces`) replaces the agent: it knows the true mean score
and time of every θ, and plays games as noisy as real ones. A sampler runs a whole study on it
(:mod:`.contest`), and its recommendation is compared with the truth (:mod:`.truth`).

The published results are from seeds 0 to 19. **Development uses seeds from 1,000 on: nothing is
ever tuned on the seeds that are reported.**
"""
