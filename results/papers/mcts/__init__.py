"""Tree search on 2048: the example of Kochenderfer, Wheeler, Wray (2022), §9.6, reproduced."""
