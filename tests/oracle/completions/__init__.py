"""What an adversary who knows MASK believes, by enumeration."""
