// What running commands do, in words: one stream tells of all that run on this page.

import { lost, whenBack } from "./connection.js";

const AGAIN = 2000; // ms after which a stream that the server refused is asked for again

let stream = null;
let watched = "";

const running = () => [...document.querySelectorAll("[data-command]")];
const element = (id) => running().find((one) => one.dataset.command === id);

const end = () => {
  if (stream) stream.close();
  stream = null;
  watched = "";
};

const finish = (row) => {
  const { command, page } = row.dataset;
  delete row.dataset.command;
  htmx.ajax("GET", page, { source: row, target: row, swap: "outerHTML" })
    .catch(() => { row.dataset.command = command; }); // not reached: asked again when the server is back
};

const hear = (event) => {
  const row = element(event.id);
  if (!row) return;
  if (event.type === "command_end") { finish(row); watch(); return; }
  const words = row.querySelector(".status-text");
  if (words && words.textContent !== event.words) words.textContent = event.words;
};

function watch() {
  const ids = running().map((row) => row.dataset.command).sort().join(",");
  if (document.hidden || !ids) { end(); return; }
  if (ids === watched && stream) return;
  end();
  watched = ids;
  stream = new EventSource(`/commands/events?ids=${ids}`);
  stream.onmessage = (message) => hear(JSON.parse(message.data));
  stream.onerror = () => {
    lost();
    if (stream.readyState !== EventSource.CLOSED) return;
    end();
    setTimeout(watch, AGAIN);
  };
}

document.addEventListener("htmx:load", watch);
document.addEventListener("htmx:afterSettle", watch);
document.addEventListener("visibilitychange", watch);
document.addEventListener("DOMContentLoaded", watch);
window.addEventListener("pagehide", end);
whenBack(watch);
