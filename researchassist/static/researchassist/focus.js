// Where the keyboard is after the part of the page it was in was exchanged: never nowhere.

import { box } from "./page.js";

const REACHABLE = "a[href], button:not(:disabled), summary, input:not([type=hidden]), textarea, [tabindex]";

let chosen = []; // the element the keyboard was on last, and what it stood in
let fresh = []; // what was put into the page since

document.addEventListener("focusin", (event) => {
  chosen = [];
  for (let one = event.target; one && one !== document.body; one = one.parentElement) chosen.push(one);
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(`${REACHABLE}, label`)) chosen = []; // the person left it
});

// On to what took its place, or to the summary of what it was in, or to the message field.
const goOn = () => {
  const parts = fresh.splice(0);
  const nowhere = !document.activeElement || document.activeElement === document.body;
  if (!nowhere || !chosen.length || chosen[0].isConnected) return;
  const around = chosen.find((one) => one.isConnected);
  const inside = around && !around.closest("#composer") ? parts.filter((part) => part !== around && around.contains(part)) : [];
  const here = inside.map((part) => part.querySelector(REACHABLE)).find(Boolean);
  (here || around?.closest("details")?.querySelector("summary") || box())?.focus({ preventScroll: true });
};

document.addEventListener("htmx:afterSettle", (event) => {
  const { elt } = event.detail;
  const wanted = elt.querySelector?.("[autofocus]");
  if (wanted && wanted !== box()) { wanted.focus(); return; }
  fresh.push(elt);
  setTimeout(goOn); // several parts may be exchanged at once
});
