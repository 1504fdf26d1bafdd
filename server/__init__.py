"""The trio server: rooms, feeds, connections, command line."""
