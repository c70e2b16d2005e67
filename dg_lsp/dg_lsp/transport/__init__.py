"""JSON-RPC over two file descriptors: our own framing, reader thread, writer thread and dispatch, under pygls' registration."""
