"""Three dice by value iteration: the table of Thanki (2021), beside exact expectations."""
