// Conversations as wholes: more of a long list or conversation as one scrolls, keeping the place, the
// menu and forms of one, and the focus after going to another version.
const page = document.documentElement;

// More is fetched before its end comes into view: a screen and a half early.
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    observer.unobserve(entry.target);
    htmx.trigger(entry.target, "near");
  }
}, { rootMargin: "150% 0px" });

const watch = (root) => {
  if (root.matches("[data-more]")) observer.observe(root);
  for (const more of root.querySelectorAll("[data-more]")) observer.observe(more);
};

// What is put in above must not move what is being read.
let fromEnd = null;
const isEarlier = (element) => element.matches("#conversation > .more:first-child");
document.addEventListener("htmx:beforeSwap", (event) => {
  fromEnd = isEarlier(event.detail.target) ? page.scrollHeight - window.scrollY : null;
});
document.addEventListener("htmx:afterSwap", () => {
  if (fromEnd !== null) window.scrollTo({ top: page.scrollHeight - fromEnd, behavior: "instant" });
  fromEnd = null;
});

document.addEventListener("htmx:load", (event) => watch(event.detail.elt));
document.addEventListener("DOMContentLoaded", () => watch(document.body));

// A menu closes as menus do: with Escape, with a click beside it, and once something in it was chosen.
const closeMenu = () => {
  const open = document.querySelector("details.menu[open]");
  if (open) open.open = false;
  return open;
};
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && closeMenu();
  if (!open) return;
  event.preventDefault(); // it closes nothing else
  open.querySelector("summary").focus({ preventScroll: true });
}, { capture: true });
document.addEventListener("click", (event) => {
  if (!event.target.closest?.(".menu summary")) closeMenu();
});

// The forms of an edited question and of a title: Escape gives up; in a question Enter asks.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("#head .inline-form");
  if (form && event.key === "Escape" && !event.isComposing && event.keyCode !== 229) form.querySelector("a").click();
});
document.addEventListener("keydown", (event) => {
  const form = event.target.closest && event.target.closest(".edit-form");
  if (!form || event.isComposing || event.keyCode === 229) return;
  if (event.key === "Escape") form.querySelector("a").click();
  if (event.key !== "Enter" || event.shiftKey || event.target.tagName !== "TEXTAREA") return;
  event.preventDefault();
  if (!event.repeat) form.requestSubmit();
});

// Going from version to version with the keyboard: the button that was pressed is pressed again.
let step = null;
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt } = event.detail;
  step = elt.matches(".version-step") ? elt.getAttribute("aria-label") : null;
});
document.addEventListener("version-shown", (event) => {
  const shown = document.getElementById(`message-${event.detail.value}`);
  if (!shown || step === null) return;
  const buttons = [...shown.querySelectorAll(".version-step:enabled")];
  const same = buttons.find((button) => button.getAttribute("aria-label") === step);
  (same || buttons[0] || shown).focus({ preventScroll: true });
  step = null;
});

// The words that led here are marked in the message, without a change to it.
const markWords = () => {
  const message = window.location.hash.startsWith("#message-") && document.getElementById(window.location.hash.slice(1));
  const query = new URLSearchParams(window.location.search).get("q") || "";
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu);
  if (!message || !words || !("highlights" in CSS)) return;
  const ranges = [];
  const texts = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, Math.min(at + word.length, texts.currentNode.length));
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
};
document.addEventListener("DOMContentLoaded", markWords);
