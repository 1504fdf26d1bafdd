"""What a person sees of a battle in the terminal: pictures, and lines in human words."""
