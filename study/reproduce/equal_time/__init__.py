"""Two agents at equal CPU time: Ripstein (2023), §5.2, and any two studies of 2048."""
