"""What goes over the wire: messages, codec, delta, mirror, client."""
