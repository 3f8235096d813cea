"""How one sequence looks at another: scores, masks, attend, heads, positions, probe."""
