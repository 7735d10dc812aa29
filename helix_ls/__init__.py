"""The surfaces: thin, no logic of their own; the same verbs and the same JSON everywhere."""
