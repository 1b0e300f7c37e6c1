"""How the judge ``lexical`` reads: words, numbers, negation, order. Pure functions, no model, no network.

Data flows one way: `language` (tables) → `words` → `sentences` → `polarity` and `quantities` → `spelling` → `reading`
(a response, analysed once) → `claim` (a statement as weighted words) → `cover` (how much of a claim a passage says) →
the rules `state`, `naming` and `sequence`, one a structure that a check can have → `verdict` (which rule a check
needs).
"""

RULES = 2
"""Version of the rules and tables; raised by every change that can change a verdict."""
