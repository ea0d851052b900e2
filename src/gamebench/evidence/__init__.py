"""The paper's experiments and claims: what was run, what it shows, and which claims hold."""
