// A lever: a button beside the command line that does the same, and a line that says what came of it.
import { copied, el, setText } from './elements.mjs';

const PATIENCE_MS = 500;
const QUEUE_MAX = 20; // pulls that wait for the one under way

// label      text of the button
// command()  the command line, or null while something that it needs is missing
// run()      does it; what it returns is said, and so is the message of what it throws
// danger     a sentence that says what is lost; the button then asks once, in its place
// pressed()  whether it is the present choice, for buttons that choose (aria-pressed)
// repeats    whether quick clicks count one by one, as of a step
//
// Returns the element, refresh() for when a field of the command changed, and pull() for a key.
export function lever({ label, command, run, danger = null, context, pressed = null, repeats = false }) {
  const button = el('button', { type: 'button' }, label);
  if (danger) button.classList.add('danger');
  const line = el('code.command');
  const copy = copyButton(context, command, line);
  const outcome = el('p.outcome', { role: 'status' });
  const place = el('span.lever-button', {}, button);
  const element = el('div.lever', {}, place, copy, outcome);
  let busy = null; // the pulls under way, as a promise
  let waiting = 0;

  const tell = (text, failed) => {
    setText(outcome, text);
    outcome.classList.toggle('failed', failed);
  };

  // Each pull counts: one more while one is under way follows it, unless that fails.
  function pull() {
    if (busy) waiting = Math.min(waiting + 1, QUEUE_MAX);
    else busy = pullAll().finally(() => { busy = null; });
    return busy;
  }

  async function pullAll() {
    do {
      if (!(await pullOnce())) waiting = 0;
    } while (waiting-- > 0);
    waiting = 0;
  }

  // False if it failed.
  async function pullOnce() {
    if (command() === null) return false;
    context.command(command());
    button.setAttribute('aria-busy', 'true');
    const patience = setTimeout(() => tell('Working …', false), PATIENCE_MS);  // an hour of bots takes its time
    try {
      const told = (await run()) ?? '';
      tell(told, false);
      return true;
    } catch (error) {
      tell(error.message, true);
      return false;
    } finally {
      clearTimeout(patience);
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
    if (event.detail > 1 && !repeats) return;  // the second half of a double click
    if (danger) ask();
    else pull();
  });
  button.addEventListener('keydown', (event) => { if (event.key === 'Enter' && event.repeat) event.preventDefault(); });

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

// A button that copies the command line, shown as `line`.
export function copyButton(context, command, line) {
  const copy = async () => {
    const text = command();
    context.command(text);
    context.notice((await copied(text)) ? 'Copied' : 'The browser did not let the page copy; the command stands at the foot');
  };
  return el('button.copy', { type: 'button', title: 'Copy this command', onclick: copy }, line);
}

// One word of a shell's command line.
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
