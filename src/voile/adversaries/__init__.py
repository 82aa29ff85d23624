"""What an adversary knows before seeing the release: kinds of knowledge, presets, priors, and the ledger."""
