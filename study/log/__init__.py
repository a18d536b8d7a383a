"""Storage: studies as logs of games, manifests, and ledgers of games.

Here a study is opened, locked, written, and read into one snapshot (`study_data`). This folder may
import `samplers`, `experiments`, `agents` and the modules directly in `study`.
"""
