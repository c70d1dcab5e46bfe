"""What training runs most often: layers of a network with their gradients, and the windows of a batch."""
