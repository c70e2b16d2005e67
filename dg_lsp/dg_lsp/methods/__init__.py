"""The handlers, one LSP method a file: `METHOD`, and `handle(server, params)`."""
