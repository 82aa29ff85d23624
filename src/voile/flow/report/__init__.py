"""Write the page for the person accountable for a release."""
