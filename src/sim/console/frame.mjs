// Draws at most once a frame, however often it is asked to. The function returned asks; a hidden page is not drawn.
export function onFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
