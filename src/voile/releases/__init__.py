"""What is published: tables in a shape, a dictionary and a certificate."""
