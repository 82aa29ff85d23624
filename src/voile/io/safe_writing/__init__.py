"""Writing that survives a kill at any moment, a full disk, and a second process that writes to the same place.

A file or folder is written into a staging folder beside its place: private to its owner, under a name that nobody can
foresee, and locked as long as the process lives. From there it is moved in with one call of the system. A process that
is killed leaves at most its staging folder, and the next one that writes to the same place removes it.
"""
