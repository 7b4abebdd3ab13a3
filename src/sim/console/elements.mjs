// Builds elements of the page. Text is always set as text; nothing is parsed as HTML.

// el('button.primary', {type: 'button', onclick: f}, 'Place', child): classes after the dots; a property that begins
// with "on" is a listener, `class`, `for`, `role`, `tabindex`, `colspan`, `data-*` and `aria-*` are attributes,
// whatever else is a property of the element. A child that is null or false is left out.
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (/^(aria-|data-)|^(class|for|role|tabindex|colspan|scope|list)$/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Writes a text only if it differs, so that a live figure costs nothing while it stands.
export function setText(element, text) {
  if (element.firstChild?.nodeType === Node.TEXT_NODE && element.childNodes.length === 1) {
    if (element.firstChild.data !== text) element.firstChild.data = text;
  } else {
    element.textContent = text;
  }
}

let labelled = 0;

// A control with its label above it.
export function labelledField(text, control, hint = null) {
  control.id ||= `field-${++labelled}`;
  return el('div.field', {}, el('label', { for: control.id }, text), control, hint);
}

export function options(values, chosen) {
  return values.map((value) => {
    const [key, text] = Array.isArray(value) ? value : [value, value];
    return el('option', { value: key, selected: key === chosen }, text);
  });
}

// A key that is a view's or the page's to take: nobody took it, it is no shortcut of the browser, and nobody types.
export function isForPage(event) {
  return !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
    event.target.closest?.('input, select, textarea, dialog, [contenteditable]'));
}

// Whether the browser let the page copy. It does not where the page is neither local nor under https.
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
