"""Programs written for the benchmark that no model was trained on. Keep them as they are: figures compare by them."""
