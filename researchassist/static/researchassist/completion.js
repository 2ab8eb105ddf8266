// Completion of commands in the message field, and the offer to save a paper that is named there.

import { announce, box, composer } from "./page.js";

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
  for (const name of ["aria-haspopup", "aria-controls", "aria-autocomplete", "aria-activedescendant"]) {
    box().removeAttribute(name);
  }
};

// A field of several lines cannot be a combobox; these are what a text field may have, and readers follow.
const open = (found) => {
  list().hidden = false;
  box().setAttribute("aria-haspopup", "listbox");
  box().setAttribute("aria-controls", list().id);
  box().setAttribute("aria-autocomplete", "list");
  announce(`${found.length === 1 ? "1 command" : `${found.length} commands`}. Arrows choose, Tab completes.`);
};

const fits = (name, word) => name.startsWith(word) || name.split("-").some((part) => part.startsWith(word));

const suggest = () => {
  const text = box().value;
  if (text !== dismissed) dismissed = "";
  if (!/^\/[a-z-]*$/i.test(text) || dismissed) { close(); return; }
  const word = text.slice(1).toLowerCase();
  for (const option of options()) option.hidden = !fits(option.dataset.name, word);
  const found = shown();
  if (!found.length || (found.length === 1 && found[0].dataset.name === word && !found[0].dataset.takes)) {
    close();
    return;
  }
  open(found);
  mark(found[0]);
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
  else if (event.key === "Tab" && event.shiftKey) { close(); return; }
  else if (event.key === "Escape") { dismissed = box().value; close(); }
  else if (event.key === "Enter" && !event.shiftKey && exact && !/^[A-Z]/.test(option.dataset.takes)) { close(); return; }
  else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) complete(option);
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
  composer().requestSubmit();
};

document.addEventListener("keydown", onKey, { capture: true });
document.addEventListener("input", (event) => {
  if (event.target !== box()) return;
  suggest();
  offer();
});
document.addEventListener("focusout", (event) => { if (event.target === box()) close(); });
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("#command-list")) event.preventDefault(); // the composer keeps the focus
});
document.addEventListener("click", (event) => {
  const option = event.target.closest("#command-list [role=option]");
  if (option) complete(option);
  else if (event.target.closest("#offer button")) take();
});
document.addEventListener("message-kept", () => { if (box()) { suggest(); offer(); } });
document.addEventListener("DOMContentLoaded", () => { if (box()) offer(); });
