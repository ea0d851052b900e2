"""The paper's experiments and claims, and ours beside them: what was run, what it shows, and whether it holds."""
