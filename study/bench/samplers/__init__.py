"""Samplers compared on simulated studies whose truth is known, at equal numbers of games.

A real study cannot tell how good a sampler is: the best mean that was observed is luck for a good part,
and the true front is not known. Here a :mod:`surface <study.bench.samplers.surfaces>` stands in for
the agent: it knows the true mean score and the true time of every θ, and plays games as noisy as real
ones. A sampler runs a whole study on it (:mod:`study.bench.samplers.contest`), and what one would then
recommend is measured by the truth (:mod:`study.bench.samplers.measures`).

The published figures are of seeds 0 to 19. **Development uses seeds from 1,000 on: nothing is ever
tuned on the seeds that are reported.**
"""
