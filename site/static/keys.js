// The arrow keys turn the pages, except where they belong to what has the focus: a picture whose
// bars they lead along, code that they scroll.
document.addEventListener("keydown", (event) => {
  const arrow = event.key === "ArrowLeft" || event.key === "ArrowRight";
  if (arrow && event.target.closest("[tabindex]")) event.stopImmediatePropagation();
});
