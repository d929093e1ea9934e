"""Compare answers with each other: twins, which answer the same request, and recordings of the same requests."""
