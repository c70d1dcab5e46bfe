"""The network in the core: encoding of positions, line tables, layers and evaluators."""
