"""What limits a study on many machines, measured on one machine: durable writes and Dask."""
