"""Keep the index up to date: plan, refresh, intake, embedding, the write lock, and the reports about it.

The only room that writes files' items into the index. Answers no question.
"""
