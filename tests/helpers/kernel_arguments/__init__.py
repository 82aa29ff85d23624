"""Arguments on which kernels are compared with what Python makes of them."""
