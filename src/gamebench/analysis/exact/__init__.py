"""Exact solutions by linear programs, with certificates from independent best responses."""
