"""Regret minimisation: the CFR family, RTCFR+, and regret minimisers that users write."""
