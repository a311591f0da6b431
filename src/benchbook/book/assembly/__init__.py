"""What makes the book: chapters executed in kernels, the records beside them, and Jupyter Book called on all."""
