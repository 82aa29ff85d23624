"""What a sample tells about the population: estimates of who stands out there, never claims."""
