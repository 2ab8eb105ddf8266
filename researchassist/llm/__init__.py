"""The model port: messages in, text and one reply out; knows nothing of memory."""
