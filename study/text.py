"""Numbers of things in sentences: ``1 game``, ``2 games``, ``1,000 games``."""


def counted(n: int, noun: str) -> str:
    """Write how many there are of what ``noun`` names in the singular, and takes an s in the plural."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def there_already(*counts: str) -> str:
    """Say of what :func:`counted` wrote that it is not to be played again."""
    one = len(counts) == 1 and counts[0].startswith("1 ")
    return f"{' and '.join(counts)} {'is' if one else 'are'} there already"
