"""Games on a page: they are replayed here, and the page's script shows what was recorded."""
