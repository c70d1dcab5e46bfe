"""The board: a page in the browser to play, analyse and review, served on this machine only (`renga board`)."""
