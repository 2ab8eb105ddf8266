// The page follows the text at its end unless the reader scrolled up.

const NEAR_END = 120; // pixels from the end within which it follows

const page = document.documentElement;
let following = true;

const look = () => { following = page.scrollHeight - window.innerHeight - window.scrollY < NEAR_END; };

export const follow = () => { if (following) window.scrollTo(0, page.scrollHeight); };
export const followAgain = () => { following = true; };

window.addEventListener("scroll", look, { passive: true });
document.addEventListener("DOMContentLoaded", () => {
  const aimed = window.location.hash.startsWith("#message-");
  if (!aimed && document.querySelector(".turn, .command")) window.scrollTo(0, page.scrollHeight);
  look();
});
