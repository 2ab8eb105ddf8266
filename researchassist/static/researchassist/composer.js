// The message field: it grows, sends with Enter, keeps a draft, and offers to attach a long text.

import { dropDraft, draftOf, keepDraft, whenDropped } from "./drafts.js";
import { addText, newKey } from "./files.js";
import { followAgain } from "./follow.js";
import { box, clearNotice, composer } from "./page.js";

const KEEP_AFTER = 300; // ms without a key after which the draft is kept
const LONG = 4000; // characters: more than a screen, and more than two passages

const NOT_KEPT = "This text is too long for the browser to keep it over a reload.";
const NOT_EMPTY = "Send or clear what you typed first; then press Edit again.";

// A phone's Enter starts a new line; its Send button sends.
const byTouch = window.matchMedia("(hover: none) and (pointer: coarse)");

const threadOf = () => (window.location.pathname === "/" ? "new" : composer().getAttribute("action").split("/")[2]);

const grow = () => {
  const field = box();
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
};

// Drafts. What was sent keeps its form's key until the server's word: sent again, it is still one message.

let timer = 0;
let sent = null; // { thread, text, key } of what is on its way, or was when the page was left
let other = ""; // the key of any other text

const keyField = () => document.getElementById("key");

const keep = () => {
  clearTimeout(timer);
  timer = 0;
  if (!box()) return;
  const text = box().value;
  const key = sent && sent.text === text ? sent.key : "";
  document.getElementById("unkept").textContent = keepDraft(threadOf(), text, key) ? "" : NOT_KEPT;
};

const wasSent = (text) => [...document.querySelectorAll(".question-text")].at(-1)?.textContent === text;

const put = (text) => {
  box().value = text;
  changed();
};

const restore = () => {
  const thread = threadOf();
  const draft = draftOf(thread);
  if (!draft || box().value) return;
  if (draft.key && wasSent(draft.text)) { dropDraft(thread); return; }
  if (draft.key) sent = { thread, text: draft.text, key: draft.key };
  put(draft.text);
};

const chooseKey = () => {
  if (!sent) return;
  other = other || newKey();
  keyField().value = box().value === sent.text ? sent.key : other;
};

const settled = () => {
  sent = null;
  other = "";
};

const arrived = () => {
  if (!sent) return;
  const { thread, text } = sent;
  settled();
  dropDraft(thread);
  if (box().value === text) put(""); // else something new was written meanwhile
};

// A long text that was pasted

let pasted = "";

const offer = () => {
  const place = document.getElementById("paste-offer");
  const there = pasted && box().value.includes(pasted);
  if (!there) pasted = "";
  place.hidden = !there;
  if (there) place.querySelector(".paste-words").textContent = `You pasted ${pasted.length.toLocaleString("en")} characters.`;
};

const attach = async (text, button) => {
  button.disabled = true;
  const added = await addText(text);
  button.disabled = false;
  if (!added) return; // its row says why, and the text is still here
  clearNotice();
  put(box().value.replace(text, () => "").trim());
  box().focus();
};

document.addEventListener("paste", (event) => {
  if (event.target !== box() || !event.clipboardData || event.clipboardData.files.length) return;
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
  if (text.length < LONG) return;
  pasted = text;
  setTimeout(offer); // once it stands in the field
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "paste-attach") attach(pasted, button);
  else if (button.id === "paste-keep") { pasted = ""; offer(); box().focus(); }
  else if (button.classList.contains("attach-message")) { event.preventDefault(); attach(box().value, button); }
});

function changed() {
  grow();
  chooseKey();
  offer();
  clearTimeout(timer);
  timer = setTimeout(keep, KEEP_AFTER);
}

document.addEventListener("input", (event) => {
  if (event.target !== box()) return;
  changed();
  if (!box().value) clearNotice();
});

document.addEventListener("keydown", (event) => {
  const composing = event.isComposing || event.keyCode === 229;
  if (event.target !== box() || event.key !== "Enter" || event.shiftKey || composing || byTouch.matches) return;
  event.preventDefault();
  if (!event.repeat) composer().requestSubmit();
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (elt !== composer() && !elt.classList.contains("send-plain")) return;
  sent = { thread: threadOf(), text: box().value, key: requestConfig.formData.get("key") };
  keep();
});
document.addEventListener("htmx:afterRequest", (event) => {
  // The server answered and did not take it, so the text is a draft like any other.
  if (sent && event.detail.elt === composer() && event.detail.xhr.status) { settled(); keep(); }
});
document.addEventListener("message-kept", (event) => {
  followAgain();
  if (event.target === composer() || event.target.classList?.contains("send-plain")) arrived();
});
// A button that puts a text into the field, for the person to change. What was typed already stays.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-put]");
  if (!button || !box()) return;
  if (box().value.trim()) document.getElementById("unkept").textContent = NOT_EMPTY;
  else put(button.dataset.put);
  box().focus();
});
window.addEventListener("pagehide", () => { if (timer) keep(); });
whenDropped((thread, text) => { if (box() && thread === threadOf() && box().value === text) put(""); });

document.addEventListener("DOMContentLoaded", () => {
  if (!box()) return;
  restore();
  grow();
});
