"""The latency benchmark harness: measures what a user waits, prints honest records."""
