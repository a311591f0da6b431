"""A chapter as the rest of the program knows it: found by its name, its parts loaded when they are asked for."""
