"""What answers questions with choices by looking things up: like questions, their answers, support."""
