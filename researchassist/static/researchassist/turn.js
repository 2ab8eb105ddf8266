// A turn that runs: its steps and its text as they come, through reloads and lost connections.
// The server's stream is numbered and replayed, so what is shown is shown once.

import { lost, whenBack } from "./connection.js";
import { follow, hold } from "./follow.js";
import { LiveText } from "./live_text.js";
import { announce } from "./page.js";
import { Steps } from "./steps.js";

const live = new Map(); // element of a running turn -> its LiveTurn

class LiveTurn {
  constructor(element) {
    this.element = element;
    this.steps = new Steps(element.querySelector(".steps"));
    this.text = new LiveText(element.querySelector(".live-text"), () => this.say("Writing…"));
    this.status = element.querySelector(".status-text");
    this.last = 0; // number of the last event seen
    this.stream = null;
    this.ended = false;
  }

  open() {
    if (this.ended) { this.finish(); return; }
    if (this.stream || document.hidden) return;
    this.stream = new EventSource(`${this.element.dataset.events}?after=${this.last}`);
    this.stream.onmessage = (message) => {
      if (!this.element.isConnected) { this.close(); return; }
      if (message.lastEventId) this.last = Number(message.lastEventId);
      this.show(JSON.parse(message.data));
    };
    this.stream.onerror = () => {
      lost();
      this.say("The connection was lost; trying again…");
      // Where the server answered with an error the browser has given up.
      if (!this.stream || this.stream.readyState !== EventSource.CLOSED) return;
      this.close();
      setTimeout(() => this.finish(), 2000);
    };
  }

  close() {
    if (this.stream) this.stream.close();
    this.stream = null;
    this.text.flush();
  }

  show(event) {
    switch (event.type) {
      case "context":
        this.say(`Read memory: ${event.tokens.toLocaleString("en")} tokens. Thinking…`);
        break;
      case "text":
        this.text.add(event.text);
        break;
      case "rendered":
        this.text.rendered(event);
        break;
      case "set_aside":
        this.setAside();
        break;
      case "withdrawn": // it was the model's reasoning, not its answer
        this.text.clear();
        this.say("Thinking…");
        break;
      case "retrying":
        this.say(`${event.reason} Trying again in ${event.seconds} s…`);
        break;
      case "tool":
        this.text.flush();
        this.steps.add(event);
        announce(event.doing);
        this.say("Working…");
        follow();
        break;
      case "tool_progress":
        this.steps.progress(event);
        break;
      case "tool_done":
        this.steps.end(event);
        this.say("Thinking…");
        break;
      case "end":
        this.close();
        this.finish();
        break;
      default:
    }
  }

  say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
  }

  setAside() {
    const { words } = this.text;
    if (words) this.steps.say(words);
    this.text.clear();
    follow();
  }

  // The server's own rendering takes the place of the live text; it is asked for until it comes.
  finish() {
    this.ended = true;
    if (!this.element.isConnected) { live.delete(this.element); return; }
    this.say("Finishing…");
    const { element } = this;
    htmx.ajax("GET", element.dataset.turn, { source: element, target: element, swap: "outerHTML" }).then(() => {
      live.delete(element);
      if (element.isConnected) this.say("This answer could not be brought up to date."); // the notice says why
      else announce(document.getElementById(element.id)?.querySelector(".notice p")?.textContent || "The answer is complete.");
    }, () => {}); // not reached: asked again when the server is back
  }
}

// What is read stays where it is when the server's rendering comes.
let keep = null;
document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const text = target?.querySelector?.(":scope > .answer > .live-text");
  keep = text ? { id: target.id, place: hold(text) } : null;
});
document.addEventListener("htmx:afterSwap", () => {
  const text = keep && document.getElementById(keep.id)?.querySelector(".prose");
  if (text) keep.place(text);
  keep = null;
});

const attach = (root) => {
  const found = [...root.querySelectorAll("[data-events]")];
  if (root.matches("[data-events]")) found.push(root);
  for (const element of found) {
    if (live.has(element)) continue;
    const turn = new LiveTurn(element);
    live.set(element, turn);
    turn.open();
  }
};

// A browser holds six connections to a server: tabs that nobody sees give theirs back.
document.addEventListener("visibilitychange", () => {
  for (const turn of live.values()) {
    if (document.hidden) turn.close();
    else turn.open();
  }
});
window.addEventListener("pagehide", () => live.forEach((turn) => turn.close()));
whenBack(() => live.forEach((turn) => turn.open()));
document.addEventListener("htmx:load", (event) => attach(event.detail.elt));
document.addEventListener("DOMContentLoaded", () => attach(document.body));
