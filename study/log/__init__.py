"""Storage: studies as logs of games, manifests, and ledgers of games.

Here a study is opened, locked, written, and read into one snapshot (`study_data`). This room may
import samplers, experiments, the ground modules and agents.
"""
