"""Network files shipped with Renga; `brain.weights` finds them."""
