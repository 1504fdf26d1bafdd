"""The load test: simulated players and spectators in processes of their own, and what they met.

Not part of a server: nothing here is imported by one.
"""
