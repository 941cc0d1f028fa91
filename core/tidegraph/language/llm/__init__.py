"""The extractor by a language model: it reads, and everything that it says is checked against the text.

schema      the form of its answers, bounded, and whether an answer has that form
quotes      where what it quotes stands in the text; what is kept from it
timing      the times that it marks, resolved by the grounding engine
reading     what it said as events, mentions and assertions
asking      a chunk, at most two calls, and the cache
extractor   a document, with the language extractor for what the model could not read
"""
