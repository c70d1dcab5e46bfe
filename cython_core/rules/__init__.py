"""The lowest room of the core: rules, shapes, boards and what every room above needs."""
