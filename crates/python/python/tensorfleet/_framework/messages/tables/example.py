"""Training examples."""

TABLE = """\
Example
  features 1 Features
SequenceExample
  context 1 Features
  feature_lists 2 FeatureLists
BytesList
  value 1 repeated bytes
Feature
  bytes_list 1 BytesList in kind
  float_list 2 FloatList in kind
  int64_list 3 Int64List in kind
FeatureList
  feature 1 repeated Feature
FeatureLists
  feature_list 1 map string FeatureList
Features
  feature 1 map string Feature
FloatList
  value 1 repeated float
Int64List
  value 1 repeated int64
"""
