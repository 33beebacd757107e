"""The tutorial that tells the ten kinds of CIFAR-10 images apart."""
