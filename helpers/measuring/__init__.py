"""Experiments side by side, the claims of the sources, the ledger, load, gauges."""
