"""What boards and cards are worth: thousands of battles fought for their results, and counted."""
