"""Driving servers and engines from outside: raw clients, a document as an editor holds it, a scripted engine."""
