"""The paper's experiments, their exhibits, and which claims hold."""
