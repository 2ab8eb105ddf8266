// Conversations as wholes: more of a long list or conversation as one scrolls, keeping the place, the
// form of an edited question, and the focus after going to another version.
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

// The form of an edited question: Enter asks, Escape gives up.
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
