"""Pictures as inline SVG: they need no network, scale with the page and follow its light or dark colours."""
