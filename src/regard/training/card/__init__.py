"""What a finished training tells of itself: CARD.md, and its curves as a picture; all of it is computed."""
