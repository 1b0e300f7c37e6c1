from recorded import answer, mixed, question, source_of

__all__ = ["answer", "mixed", "question", "source_of"]
