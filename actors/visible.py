"""Words of models and programs as a terminal may have them."""


def visible(text: str) -> str:
    """Without what a terminal would obey, or what turns the direction of writing; line breaks stay."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)
