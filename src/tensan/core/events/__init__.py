"""What a program did, in words that no framework owns: adapters emit these, rules and sinks listen.

A rule listens by having a method `on_<name>`, where the name is the event's class in snake case. Ids are strings
such as `parameter:4` or `optimizer:0`: they name a thing for the length of a run and are what findings are folded by.
"""

# All are loaded, so that `event_types` knows them all.
from tensan.core.events import data, evaluation, layers, numerics, randomness, recorded, run, source, state, targets, things, training

__all__ = ["data", "evaluation", "layers", "numerics", "randomness", "recorded", "run", "source", "state", "targets", "things", "training"]
