"""How this project knows whether a change helped: rules reference, speed, tactics, matches, ladder."""
