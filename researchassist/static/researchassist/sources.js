// Sources open beside the answer: a mark or a title is a link to its passage, which without this
// script, or in a new tab, is a page of its own.
import { hold } from "./follow.js";

const panel = () => document.getElementById("source");
let opener = null; // the link that opened what is shown

const mark = (link) => {
  opener?.removeAttribute("aria-current");
  opener = link;
  opener?.setAttribute("aria-current", "true");
};

// The answer may be laid out anew beside the panel; the line that was clicked stays where it was.
const show = (visible, near) => {
  const keep = near?.isConnected ? hold(near, true) : null;
  panel().hidden = !visible;
  document.body.classList.toggle("source-open", visible);
  keep?.(near);
  // On a narrow screen the panel lies over the lower part of the page, and not over this line.
  const at = near?.getBoundingClientRect();
  if (visible && at && panel().getBoundingClientRect().left <= at.left && at.bottom > panel().getBoundingClientRect().top) {
    window.scrollBy(0, at.top - window.innerHeight / 6);
  }
};

const open = async (link) => {
  mark(link);
  await htmx.ajax("GET", link.getAttribute("href"), { source: link, target: panel(), swap: "innerHTML" });
  if (opener !== link || !panel().querySelector(".source-close")) return;
  panel().querySelector(".source-close").hidden = false;
  show(true, link);
  const passage = panel().querySelector(".passage");
  const lines = passage.querySelector("mark");
  if (lines) passage.scrollTop = lines.offsetTop - passage.clientHeight / 3;
  panel().querySelector("h2").focus({ preventScroll: true });
};

const close = () => {
  const back = opener;
  show(false, back);
  panel().replaceChildren();
  mark(null);
  if (back?.isConnected) back.focus({ preventScroll: true });
};

document.addEventListener("click", (event) => {
  if (!panel()) return;
  if (event.target.closest?.(".source-close")) { close(); return; }
  const link = event.target.closest?.("a.mark-number, a.source-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (link === opener) close();
  else open(link);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && panel() && !panel().hidden && !event.defaultPrevented) close();
});
