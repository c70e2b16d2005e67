"""From a model folder to tensors, with errors that name the file. Importing this brings no torch."""

from dg_engine.loading.builtin import builtin_folder
from dg_engine.loading.folder import ModelFolder, open_folder

__all__ = ["ModelFolder", "builtin_folder", "open_folder"]
