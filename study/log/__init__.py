"""What the disk keeps: trials, games, validated points, manifests, and ledgers of games.

Here a study is opened, locked, read into one snapshot (`study_data`) and fitted with a model
(`study_model`). This room may import samplers, experiments, the ground modules and agents.
"""
