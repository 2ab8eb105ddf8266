// Copying: a block of code, or a whole answer as the Markdown it was written in.

import { announce, make } from "./page.js";

const SAID_FOR = 2000; // ms

// Puts a head with the language and a copy button above each block of code within `root`.
export const frameCode = (root) => {
  for (const code of root.querySelectorAll("pre.code")) {
    if (code.closest(".code-frame")) continue;
    const frame = make("div", "code-frame");
    const head = make("div", "code-head");
    const button = make("button", "copy copy-code", "Copy");
    button.type = "button";
    head.append(make("span", "", code.dataset.language || "text"), button);
    code.replaceWith(frame);
    frame.append(head, code);
  }
};

// The clipboard is there on this machine and over HTTPS; elsewhere the browser's older way has to do.
const copyText = async (text) => {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = make("textarea", "hidden", text);
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("not copied");
};

const textFor = async (button) => {
  if (!button.matches(".copy-answer")) return button.closest(".code-frame").querySelector("pre").textContent;
  const response = await fetch(button.href);
  if (!response.ok) throw new Error("not found");
  return response.text();
};

const copy = async (button) => {
  const words = button.textContent;
  if (button.dataset.busy) return;
  button.dataset.busy = "true";
  try {
    await copyText(await textFor(button));
    button.textContent = "Copied";
    announce("Copied.");
  } catch {
    button.textContent = "Could not be copied";
  }
  setTimeout(() => {
    button.textContent = words;
    delete button.dataset.busy;
  }, SAID_FOR);
};

document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".copy");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  copy(button);
});
// With the swap itself: a moment later is a jump that one sees.
document.addEventListener("htmx:afterSwap", () => frameCode(document));
document.addEventListener("DOMContentLoaded", () => frameCode(document));
