"""Results to look at: tables and figures."""
