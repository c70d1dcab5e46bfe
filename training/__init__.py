"""Offline work on the network: data set, training, export, measuring, self-play. Only this package knows torch."""
