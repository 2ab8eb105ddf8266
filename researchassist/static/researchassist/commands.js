// Commands: completion in the composer, the offer to save a paper, and what running commands do.
// Commands run on the server; one stream tells of all that run on this page.
"use strict";

(() => {
  const box = () => document.getElementById("query");
  const list = () => document.getElementById("command-list");
  const options = () => [...list().querySelectorAll("[role=option]")];
  const shown = () => options().filter((option) => !option.hidden);

  // Completion: a list above the composer while its text is a slash and the beginning of a word.

  let dismissed = ""; // the text for which Escape closed the list
  const isOpen = () => !list().hidden;

  const mark = (option) => {
    for (const one of options()) one.setAttribute("aria-selected", String(one === option));
    box().setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const marked = () => list().querySelector("[aria-selected=true]");

  const close = () => {
    if (!list() || !isOpen()) return;
    list().hidden = true;
    for (const name of ["role", "aria-expanded", "aria-controls", "aria-autocomplete", "aria-activedescendant"]) {
      box().removeAttribute(name);
    }
  };

  const open = () => {
    list().hidden = false;
    box().setAttribute("role", "combobox");
    box().setAttribute("aria-expanded", "true");
    box().setAttribute("aria-controls", list().id);
    box().setAttribute("aria-autocomplete", "list");
  };

  const suggest = () => {
    const text = box().value;
    if (text !== dismissed) dismissed = "";
    if (!/^\/[a-z-]*$/i.test(text) || dismissed) return close();
    const word = text.slice(1).toLowerCase();
    for (const option of options()) option.hidden = !option.dataset.name.startsWith(word);
    const found = shown();
    if (!found.length || (found.length === 1 && found[0].dataset.name === word && !found[0].dataset.takes)) return close();
    open();
    return mark(found[0]);
  };

  const complete = (option) => {
    box().value = `/${option.dataset.name}${option.dataset.takes ? " " : ""}`;
    close();
    box().focus();
    box().dispatchEvent(new Event("input", { bubbles: true }));
  };

  const move = (step) => {
    const found = shown();
    const place = found.indexOf(marked());
    mark(found[(place + step + found.length) % found.length]);
  };

  const onKey = (event) => {
    if (event.target !== box() || !isOpen() || event.isComposing || event.keyCode === 229) return;
    const option = marked();
    const exact = option && `/${option.dataset.name}` === box().value.toLowerCase();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Escape") { dismissed = box().value; close(); }
    else if (event.key === "Enter" && !event.shiftKey && exact && !/^[A-Z]/.test(option.dataset.takes)) { close(); return; }
    else if ((event.key === "Enter" && !event.shiftKey) || (event.key === "Tab" && !event.shiftKey)) complete(option);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // The offer: what is only an arXiv id, DOI or link to a paper can be saved. Nothing is fetched by itself.

  const NEW_ID = "\\d{4}\\.\\d{4,5}(?:v\\d+)?";
  const OLD_ID = "[a-z]+(?:-[a-z]+)?(?:\\.[a-z]{2})?/\\d{7}(?:v\\d+)?";
  const PAPER = new RegExp(
    `^(?:(?:arxiv:\\s*)?(?:${NEW_ID}|${OLD_ID})`
    + `|https?://(?:www\\.|export\\.)?arxiv\\.org/(?:abs|pdf|html)/(?:${NEW_ID}|${OLD_ID})(?:\\.pdf)?/?`
    + "|(?:doi:\\s*|https?://(?:dx\\.)?doi\\.org/)?10\\.\\d{4,9}/\\S+)$", "i");

  const offer = () => { document.getElementById("offer").hidden = !PAPER.test(box().value.trim()); };

  const take = () => {
    box().value = `/save ${box().value.trim()}`;
    document.getElementById("offer").hidden = true;
    document.getElementById("composer").requestSubmit();
  };

  // Running commands

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
    delete row.dataset.command;
    htmx.ajax("GET", row.dataset.page, { source: row, target: row, swap: "outerHTML" });
  };

  const hear = (event) => {
    const row = element(event.id);
    if (!row) return;
    if (event.type === "command_end") { finish(row); watch(); return; }
    const words = row.querySelector(".status-text");
    if (words && words.textContent !== event.words) words.textContent = event.words;
  };

  const watch = () => {
    const ids = running().map((row) => row.dataset.command).sort().join(",");
    if (document.hidden || !ids) return end();
    if (ids === watched && stream) return undefined;
    end();
    watched = ids;
    stream = new EventSource(`/commands/events?ids=${ids}`);
    stream.onmessage = (message) => hear(JSON.parse(message.data));
    return undefined;
  };

  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("input", (event) => {
    if (event.target !== box()) return;
    suggest();
    offer();
  });
  document.addEventListener("focusout", (event) => { if (event.target === box()) close(); });
  document.addEventListener("pointerdown", (event) => {
    const option = event.target.closest("#command-list [role=option]");
    if (!option) return;
    event.preventDefault(); // the composer keeps the focus
    complete(option);
  });
  document.addEventListener("click", (event) => { if (event.target.closest("#offer button")) take(); });
  document.addEventListener("message-kept", () => { if (box()) { suggest(); offer(); } });
  document.addEventListener("htmx:load", watch);
  document.addEventListener("htmx:afterSettle", watch);
  document.addEventListener("visibilitychange", watch);
  document.addEventListener("DOMContentLoaded", () => { watch(); if (box()) offer(); });
  window.addEventListener("pagehide", end);
})();
