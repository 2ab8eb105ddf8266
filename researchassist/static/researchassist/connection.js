// Says when the server cannot be reached, looks for it, and lets the page go on once it is there.

const LOOK = 2000; // ms between two looks
const SAID_FOR = 4000; // ms for which it says that all is well again

const LOST = "The server cannot be reached. This page goes on by itself once it is back.";
const BACK = "Connected again.";

const waiting = [];
let timer = 0;

const say = (words) => {
  const place = document.getElementById("connection");
  if (place && place.textContent !== words) place.textContent = words;
};

// `goOn` is told whether the page had said that the server is away.
export const whenBack = (goOn) => waiting.push(goOn);

const reached = async () => {
  try {
    return (await fetch(document.querySelector("link[rel=icon]").href, { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false; // what cannot be reached is what is asked here
  }
};

const look = async () => {
  if (!(await reached())) {
    say(LOST);
    timer = setTimeout(look, LOOK);
    return;
  }
  timer = 0;
  const wasSaid = Boolean(document.getElementById("connection")?.textContent);
  if (wasSaid) {
    say(BACK);
    setTimeout(() => { if (!timer) say(""); }, SAID_FOR);
  }
  for (const goOn of waiting) goOn(wasSaid);
};

// A connection broke: where the server still answers, nothing needs to be said.
export const lost = () => {
  if (!timer) timer = setTimeout(look, 0);
};

window.addEventListener("offline", lost);
