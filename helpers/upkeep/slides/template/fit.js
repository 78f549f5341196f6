/* Starts the slides, and makes the words of one that is too full smaller until it fits. */
const LEAST = 0.5;  // of the size; below it nobody reads

function fit(slide) {
  const frame = document.querySelector(".reveal .slides").getBoundingClientRect();
  const ends = () => Math.max(...[...slide.children].map(one => one.getBoundingClientRect().bottom));
  for (let size = 1; size >= LEAST; size -= 0.05) {
    slide.style.zoom = size;
    if (ends() <= frame.bottom) break;
  }
}

Reveal.on("ready", event => fit(event.currentSlide));
Reveal.on("slidechanged", event => fit(event.currentSlide));
Reveal.on("pdf-ready", () => Reveal.getSlides().forEach(fit));
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, slideNumber: "c/t",
  transition: "none", plugins: [RevealNotes],
});
