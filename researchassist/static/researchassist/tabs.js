// Several tabs on one conversation: what is sent in one is seen in the others.

import { box, composer, conversation } from "./page.js";

const channel = new BroadcastChannel("researchassist");
const heard = new Set(); // what another tab has told of: it is not told again
const threadOf = () => composer()?.getAttribute("action").split("/")[2];

document.addEventListener("htmx:load", (event) => {
  const { elt } = event.detail;
  const address = elt.dataset?.turn || elt.dataset?.page;
  if (address && elt.parentElement === conversation() && !heard.has(elt.id)) channel.postMessage({ thread: threadOf(), id: elt.id, address });
});

channel.onmessage = ({ data }) => {
  if (!box() || data.thread !== threadOf() || document.getElementById(data.id) || heard.has(data.id)) return;
  heard.add(data.id);
  htmx.ajax("GET", data.address, { target: conversation(), swap: "beforeend" });
};
