"""Tables to try voile on: two that are generated here, and a reader for UCI Adult.

No row of `census` or `hospital` describes a real person. Both are drawn from fixed, published seeds, so anyone can draw
them again: those seeds are not secret and must never be used to protect real data.
"""

from voile.datasets._adult import adult
from voile.datasets._census import census
from voile.datasets._hospital import hospital

__all__ = ["adult", "census", "hospital"]
