// Where the keyboard is after the part of the page it was in was exchanged: never nowhere.

import { box } from "./page.js";

const REACHABLE = "a[href], button:not(:disabled), summary, input:not([type=hidden]), textarea, [tabindex]";

let chosen = []; // the element the keyboard was on last, and what it stood in

document.addEventListener("focusin", (event) => {
  chosen = [];
  for (let one = event.target; one && one !== document.body; one = one.parentElement) chosen.push(one);
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(`${REACHABLE}, label`)) chosen = []; // the person left it
});

document.addEventListener("htmx:afterSettle", (event) => {
  const { elt } = event.detail;
  const wanted = elt.querySelector?.("[autofocus]");
  if (wanted && wanted !== box()) { wanted.focus(); return; }
  const nowhere = !document.activeElement || document.activeElement === document.body;
  if (!nowhere || !chosen.length || chosen[0].isConnected) return;
  const around = chosen.find((one) => one.isConnected);
  const inside = around?.contains(elt) && elt !== around && !around.closest("#composer");
  const here = inside && elt.querySelector(REACHABLE);
  (here || around?.closest("details")?.querySelector("summary") || box())?.focus({ preventScroll: true });
});
