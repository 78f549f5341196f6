"""What a notebook's kernel needs: a stop button, errors that show, run(main()), a virtual clock."""
