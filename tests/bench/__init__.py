"""Benchmarks, which print figures and decide nothing: `python -m tests.bench --help`."""
