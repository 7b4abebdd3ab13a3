// The tokens of style.css as colours that a canvas understands, in the theme that is shown now: {up: 'rgb(…)', …}.
export function coloursOf(names) {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colours = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours;
}
