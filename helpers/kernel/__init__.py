"""What a notebook's kernel needs: the stop button, errors that show, run(main()), the virtual clock."""
