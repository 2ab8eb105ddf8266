"""One turn, top to bottom: context, budget, tools, the model, and what is kept afterwards."""
