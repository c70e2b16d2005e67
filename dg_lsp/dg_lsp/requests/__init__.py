"""A request's life in the front: snapshot, eligibility, job, the table of pending ones, and what ends them early."""
