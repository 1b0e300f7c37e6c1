"""A client for OpenAI-compatible endpoints: providers, limits, retries, cache, usage and cost."""
