"""The network behind one seam: our trunk, and transformers' classes as its twin."""
