"""Labels that people gave: how they were drawn, who gave them, and what they prove."""
