// The text of an answer that is being written. Pieces are shown as they come; some times a second the
// server sends how they look rendered: blocks that are finished, and the end that is still open.
import { frameCode } from "./answers.js";
import { follow } from "./follow.js";
import { make } from "./page.js";

const LONGEST = 6000; // characters of plain text in one block, so that one more costs the same at any length
const BLOCK = 1500; // after which plain text goes on in a new block, at the next line end

// Where plain text goes on in what is rendered: the last paragraph, item, heading or block of code.
const tip = (end) => {
  let place = end.lastElementChild;
  while (place && place.matches("ul, ol, blockquote, li:has(> :last-child:is(p, ul, ol, pre, blockquote)), pre, .code-frame")) {
    place = place.lastElementChild;
  }
  return place && place.matches("p, li, h3, pre > code") ? place : null;
};

// What the server rendered and cleaned, ready to be put into the page.
const parsed = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  frameCode(template.content);
  return template.content;
};

export class LiveText {
  // `place` is the empty element it is written into; `onText` is called when text appears.
  constructor(place, onText) {
    this.place = place;
    this.onText = onText;
    this.frame = 0;
    this.clear();
  }

  clear() {
    this.waiting = "";
    this.end = make("div", "live-end");
    this.place.replaceChildren(); // what is empty shows that something will come
    this.block = null; // where plain text goes on
    this.written = 0; // characters in it
    this.spaced = false; // the text so far ends with a space
  }

  get words() {
    this.flush();
    return this.place.innerText.trim();
  }

  add(text) {
    this.waiting += text;
    this.spaced = /\s$/.test(text);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.flush());
  }

  rendered({ blocks, html, text, whole }) {
    this.flush();
    if (whole) this.clear();
    if (!this.end.isConnected) this.place.append(this.end);
    if (blocks.length) this.end.before(parsed(blocks.join("\n")));
    if (html !== undefined) {
      this.end.replaceChildren(parsed(html));
      this.block = tip(this.end);
      // What is rendered ends without the space that the next word needs.
      if (this.spaced && this.block && !this.block.closest("pre")) this.block.append(" ");
      this.written = this.block ? this.block.textContent.length : 0;
    } else if (blocks.length || whole) {
      this.end.replaceChildren();
      this.block = null;
      this.add(text);
    }
    this.onText();
    follow();
  }

  flush() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.waiting) return;
    const text = this.waiting;
    this.waiting = "";
    this.write(text);
    this.onText();
    follow();
  }

  write(text) {
    if (!this.end.isConnected) this.place.append(this.end);
    let rest = text;
    while (rest) {
      const code = this.block?.closest("pre");
      // A new line ends what is rendered, but for code.
      const rendered = this.block && !this.block.matches(".live-block") && !code;
      if (!this.block) this.start(null);
      const line = rest.indexOf("\n", rendered ? 0 : Math.max(BLOCK - this.written, 0));
      const most = Math.max(LONGEST - this.written, 0);
      const cut = line < 0 || line > most;
      const piece = rest.slice(0, cut ? most : line);
      if (piece) this.block.append(piece);
      this.written += piece.length;
      rest = rest.slice(cut ? most : line + 1);
      if (!cut || this.written >= LONGEST) this.start(code);
    }
  }

  // A new block for plain text: within the code where that goes on, else at the end.
  start(code) {
    this.block = make("div", "live-block");
    (code ? code.lastElementChild : this.end).append(this.block);
    this.written = 0;
  }
}
