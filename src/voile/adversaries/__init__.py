"""What an adversary knows before the release is published."""
