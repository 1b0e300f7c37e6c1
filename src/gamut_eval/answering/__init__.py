"""From questions to responses: prompts, images, and whoever answers."""
