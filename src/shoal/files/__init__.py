"""Files that appear whole or not at all, and private folders for what nobody may read yet."""
