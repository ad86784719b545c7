"""Human labels: how they were sampled, who gave them, and what they prove."""
