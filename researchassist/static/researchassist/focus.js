// Where the keyboard is after a part of the page was exchanged: never nowhere.

import { box } from "./page.js";

const REACHABLE = "a[href], button:not(:disabled), summary, input:not([type=hidden]), textarea, [tabindex]";

let before = []; // the focused element and what it stood in, before the exchange

document.addEventListener("htmx:beforeSwap", () => {
  before = [];
  for (let one = document.activeElement; one && one !== document.body; one = one.parentElement) before.push(one);
});

document.addEventListener("htmx:afterSettle", (event) => {
  const { elt } = event.detail;
  const wanted = elt.querySelector?.("[autofocus]");
  if (wanted && wanted !== box()) { wanted.focus(); return; }
  if (!before.length || before[0].isConnected) return;
  const around = before.find((one) => one.isConnected);
  const here = elt.isConnected && around && around.contains(elt) && elt.querySelector(REACHABLE);
  (here || around?.closest("details")?.querySelector("summary") || box())?.focus({ preventScroll: true });
  before = [];
});
