// A lever: a button beside the command line that does the same, and a line that says what came of it.
import { copied, el, setText } from './elements.mjs';

const PATIENCE_MS = 500;

// label      text of the button
// command()  the command line, or null while something that it needs is missing
// run()      does it; what it returns is said, and so is the message of what it throws
// danger     a sentence that says what is lost; the button then asks once, in its place
// pressed()  whether it is the present choice, for buttons that choose (aria-pressed)
//
// Returns the element, refresh() for when a field of the command changed, and pull() for a key.
export function lever({ label, command, run, danger = null, context, pressed = null }) {
  const button = el('button', { type: 'button' }, label);
  if (danger) button.classList.add('danger');
  const line = el('code.command');
  const copy = el('button.copy', { type: 'button', title: 'Copy this command' }, line);
  const outcome = el('p.outcome', { role: 'status' });
  const place = el('span.lever-button', {}, button);
  const element = el('div.lever', {}, place, copy, outcome);
  let busy = false;

  const tell = (text, failed) => {
    setText(outcome, text);
    outcome.classList.toggle('failed', failed);
  };

  async function pull() {
    if (busy || command() === null) return;
    busy = true;
    context.command(command());
    button.setAttribute('aria-busy', 'true');
    const patience = setTimeout(() => tell('Working …', false), PATIENCE_MS);  // an hour of bots takes its time
    try {
      const told = (await run()) ?? '';
      clearTimeout(patience);
      tell(told, false);
    } catch (error) {
      clearTimeout(patience);
      tell(error.message, true);
    } finally {
      busy = false;
      button.removeAttribute('aria-busy');
    }
  }

  // Asks where the button was. The safe answer has the focus, and Escape gives it too.
  function ask() {
    const back = () => {
      place.replaceChildren(button);
      button.focus();
    };
    const yes = el('button.danger', { type: 'button', onclick: () => { back(); pull(); } }, `Yes, ${label.toLowerCase()}`);
    const no = el('button', { type: 'button', onclick: back }, 'No');
    const question = el('span.ask', { role: 'group', 'aria-label': danger }, el('span', {}, danger), no, yes);
    question.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { event.stopPropagation(); back(); }
    });
    place.replaceChildren(question);
    no.focus();
  }

  button.addEventListener('click', (event) => {
    if (event.detail > 1) return;  // the second half of a double click
    if (danger) ask();
    else pull();
  });
  button.addEventListener('keydown', (event) => { if (event.key === 'Enter' && event.repeat) event.preventDefault(); });
  copy.addEventListener('click', async () => {
    const text = command();
    context.command(text);
    context.notice((await copied(text)) ? 'Copied' : 'The browser did not let the page copy; the command stands at the foot');
  });

  function refresh() {
    const text = command();
    setText(line, text ?? '');
    copy.hidden = text === null;
    button.disabled = text === null;
    if (pressed) button.setAttribute('aria-pressed', String(pressed()));
  }
  refresh();
  return { element, refresh, pull };
}

// One word of a shell's command line.
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
