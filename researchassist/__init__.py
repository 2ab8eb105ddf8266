"""ResearchAssist: a research assistant that remembers.

Owns nothing itself; the packages below it are described in ARCHITECTURE.md.
"""
