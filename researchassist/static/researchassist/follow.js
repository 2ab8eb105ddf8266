// The page follows the text at its end unless the reader scrolled up.

const NEAR_END = 120; // pixels from the end within which it follows

const page = document.documentElement;
let following = true;
let last = 0; // where the page was scrolled to

const atEnd = () => page.scrollHeight - window.innerHeight - window.scrollY < NEAR_END;

export const follow = () => { if (following) window.scrollTo(0, page.scrollHeight); };
export const followAgain = () => { following = true; };

// Notes where `element` is; what is returned moves the page so that another one stands there: unless the
// page follows the text, or in any case.
export const hold = (element, always = false) => {
  const before = element.getBoundingClientRect().top;
  return (other) => {
    if (always || !following) window.scrollBy(0, other.getBoundingClientRect().top - before);
  };
};

// Only the reader moves up; text that grows moves the end away and nothing else.
window.addEventListener("scroll", () => {
  if (window.scrollY < last) following = atEnd();
  else if (atEnd()) following = true;
  last = window.scrollY;
}, { passive: true });
// What came to the conversation's end. A finished answer takes the place of its live text and moves nothing,
// and neither does what the reader unfolds.
const CAME = ".command, .turn:not(:has(.prose)), .turn:has(.notice)";
document.addEventListener("htmx:afterSettle", ({ detail: { elt } }) => {
  if (elt.matches?.(CAME) && elt.matches("#conversation > :last-child")) follow();
});
document.addEventListener("DOMContentLoaded", () => {
  const aimed = window.location.hash.startsWith("#message-");
  if (!aimed && document.querySelector(".turn, .command")) window.scrollTo(0, page.scrollHeight);
  following = atEnd();
});
