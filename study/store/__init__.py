"""What the disk keeps: a study's trials, games and validated points, its manifest, and ledgers of games.

Here a study is opened, locked, read into one snapshot (`study_data`) and fitted with a model
(`study_model`). This room may import samplers, experiments, the ground modules and agents.
"""
