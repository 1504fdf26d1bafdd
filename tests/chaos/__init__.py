"""Chaos: a real server that is killed, real clients on lines that fail, and nothing lost.

python -m tests.chaos --seconds 60 --seed 7

process     the server as a process: started, killed, told to stop
lines       a TCP proxy that delays, cuts, stalls and swallows
guests      clients that play and look on, and write down what they were sent
run         all of it together, for a while, and what must be true at the end
"""
