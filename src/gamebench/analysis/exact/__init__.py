"""Exact solutions by linear programs, with certificates computed by best responses of our own."""
