"""What limits a study on many machines, measured on one: writes, proposals, the loop itself."""
