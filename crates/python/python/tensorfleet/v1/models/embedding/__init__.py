"""The operations of the word2vec tutorial."""
