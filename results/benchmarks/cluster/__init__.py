"""What limits a study on many machines, measured on one: durable writes, and Dask."""
