"""The search: tree, selection, leaves, rollouts and simulations. The topmost room of the core."""
