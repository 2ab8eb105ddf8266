// The chat page: sending with Enter, answers as they are written, errors of the network in words.
// htmx does the rest. No build step, nothing inline, nothing evaluated.
import { Steps } from "./steps.js";

(() => {
  const NEAR_END = 120; // pixels from the end within which the page follows the text
  const BLOCK = 1500; // characters after which live text goes on in a new block, at the next line end
  const LONGEST_BLOCK = 6000; // or without one
  const GONE = "The server cannot be reached. Your text is still here; send it again in a moment.";
  const FAILED = "Something went wrong on the server. Your text is still here; try again.";

  const page = document.documentElement;
  const live = new Map(); // element of a running turn -> its LiveTurn

  // The page follows the text unless the reader scrolled up.

  let following = true;
  const atEnd = () => page.scrollHeight - window.innerHeight - window.scrollY < NEAR_END;
  const follow = () => { if (following) window.scrollTo(0, page.scrollHeight); };
  window.addEventListener("scroll", () => { following = atEnd(); }, { passive: true });

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // One answer that is being written.

  class LiveTurn {
    constructor(element) {
      this.element = element;
      this.steps = new Steps(element.querySelector(".steps"));
      this.text = element.querySelector(".live-text");
      this.status = element.querySelector(".status-text");
      this.last = 0; // number of the last event seen
      this.waiting = ""; // text not yet on the page
      this.frame = 0;
      this.block = null;
      this.written = 0; // characters in the current block
      this.stream = null;
      this.lost = false;
    }

    open() {
      if (this.stream || document.hidden) return;
      this.stream = new EventSource(`${this.element.dataset.events}?after=${this.last}`);
      this.stream.onmessage = (message) => {
        if (!this.element.isConnected) return this.close();
        if (message.lastEventId) this.last = Number(message.lastEventId);
        return this.show(JSON.parse(message.data));
      };
      this.stream.onopen = () => {
        if (this.lost) this.say("Connected again.");
        this.lost = false;
      };
      this.stream.onerror = () => {
        this.lost = true;
        this.say("The connection was lost; trying again…");
        if (!this.stream || this.stream.readyState !== EventSource.CLOSED) return;
        this.close(); // the server answered with an error, so the browser has given up
        setTimeout(() => this.finish(), 2000);
      };
    }

    close() {
      if (this.stream) this.stream.close();
      this.stream = null;
      this.flush();
    }

    show(event) {
      switch (event.type) {
        case "context":
          this.say(`Read memory: ${event.tokens.toLocaleString("en")} tokens. Thinking…`);
          break;
        case "text":
          this.add(event.text);
          break;
        case "so_far": // another process writes this answer
          this.clear();
          this.add(event.text);
          break;
        case "set_aside":
          this.setAside();
          break;
        case "withdrawn": // it was the model's reasoning, not its answer
          this.clear();
          this.say("Thinking…");
          break;
        case "retrying":
          this.say(`${event.reason} Trying again in ${event.seconds} s…`);
          break;
        case "tool":
          this.flush();
          this.steps.add(event);
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

    add(text) {
      this.waiting += text;
      if (!this.frame) this.frame = requestAnimationFrame(() => this.flush());
    }

    // Text goes into blocks of a bounded length, so that one more token costs the same at any length.
    flush() {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      if (!this.waiting) return;
      this.say("Writing…");
      let rest = this.waiting;
      this.waiting = "";
      while (rest) {
        if (!this.block) {
          this.block = this.text.appendChild(make("div", "live-block"));
          this.written = 0;
        }
        const most = LONGEST_BLOCK - this.written;
        const end = rest.indexOf("\n", Math.max(BLOCK - this.written, 0));
        const cut = end < 0 || end > most;
        const piece = rest.slice(0, cut ? most : end);
        if (piece) this.block.append(piece);
        this.written += piece.length;
        rest = rest.slice(cut ? most : end + 1);
        if (!cut || this.written >= LONGEST_BLOCK) this.block = null;
      }
      follow();
    }

    clear() {
      this.waiting = "";
      this.block = null;
      this.text.replaceChildren();
    }

    setAside() {
      this.flush();
      const words = this.text.textContent.trim();
      if (words) this.steps.say(words);
      this.clear();
      follow();
    }

    // The server's own rendering takes the place of the live text.
    finish() {
      live.delete(this.element);
      if (!this.element.isConnected) return;
      this.say("Finishing…");
      htmx.ajax("GET", this.element.dataset.turn, { source: this.element, target: this.element, swap: "outerHTML" });
    }
  }

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

  // The composer

  const composer = () => document.getElementById("composer");
  const box = () => document.getElementById("query");
  let sent = null;

  const grow = () => {
    const field = box();
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  };

  const empty = (text) => {
    if (box().value !== text) return; // something new was written meanwhile
    box().value = "";
    grow();
  };

  document.addEventListener("input", (event) => {
    if (event.target !== box()) return;
    grow();
    if (!box().value) document.getElementById("notice").replaceChildren();
  });
  document.addEventListener("keydown", (event) => {
    const composing = event.isComposing || event.keyCode === 229;
    if (event.target !== box() || event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    if (!event.repeat) composer().requestSubmit();
  });

  // What the server and the network say

  const notice = (words) => {
    const place = document.getElementById("notice");
    if (!place) return;
    const frame = make("div", "notice notice-error");
    frame.append(make("p", "", words));
    place.replaceChildren(frame);
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (composer() && composer().contains(event.detail.elt)) sent = box().value;
  });
  document.addEventListener("message-kept", (event) => {
    following = true;
    if (event.target === composer()) empty(sent);
  });
  document.addEventListener("text-stored", () => empty(sent));
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    // An error that is not one of our sentences, such as a proxy's page, is not put into the conversation.
    if (xhr.status >= 400 && xhr.status < 500 && !xhr.getResponseHeader("HX-Retarget")) {
      event.detail.shouldSwap = false;
      notice(FAILED);
    }
  });
  document.addEventListener("htmx:sendError", () => notice(GONE));
  document.addEventListener("htmx:responseError", () => notice(FAILED));
  document.addEventListener("htmx:afterSettle", (event) => {
    const { elt } = event.detail;
    const field = elt.querySelector("[autofocus]");
    if (field && field !== box()) field.focus();
    if (elt.matches(".turn, .command, #conversation")) follow();
  });

  document.addEventListener("htmx:load", (event) => attach(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => {
    attach(document.body);
    grow();
    const aimed = window.location.hash.startsWith("#message-");
    if (!aimed && document.querySelector(".turn, .command")) window.scrollTo(0, page.scrollHeight);
    following = atEnd();
  });
})();
