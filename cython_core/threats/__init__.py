"""What can be decided by threats alone: static answers, solvers, defences and proofs."""
