"""The tutorial that learns a language model of the Penn Treebank."""
