"""The turn against model servers as they really are: odd streams, failures, limits.

Every test goes through the OpenAI SDK and a real HTTP server in strict mode, which refuses any
history the real API would refuse.
"""
