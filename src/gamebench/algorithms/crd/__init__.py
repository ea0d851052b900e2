"""CRD, measure-guided regret descent, built around a regret algorithm.

A measure, the objective, configures learners while they run. A *learner* (``learner.py``) is one run of a member of the
regret family. *Restarts* (``restarts.py``) decide from which policy it goes on, and *exploration* (``exploration.py``)
which of several learners to trust. ``guided.py`` combines them into an algorithm around any member:
``CFRPlus(restart=20)`` is a guided CFR+. ``preset.py`` defines CRD itself, which is guidance around its own step.
"""
