// What the server and the network answer when they do not answer well, in words; and the form's token.

import { lost, whenBack } from "./connection.js";
import { notice } from "./page.js";

const GONE = "The server cannot be reached. Your text is still here; send it again in a moment.";
const THERE = "The server is back. Your text was not sent yet; send it again.";
const FAILED = "Something went wrong on the server. Your text is still here; try again.";

// The token is read from its cookie when something is sent: a page that was open for long stays valid.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
  if (!token) return;
  event.detail.headers["X-CSRFToken"] = token;
  delete event.detail.parameters.csrfmiddlewaretoken;
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  // An error that is not one of our sentences, such as a proxy's page, is not put into the conversation.
  if (xhr.status >= 400 && xhr.status < 500 && !xhr.getResponseHeader("HX-Retarget")) {
    event.detail.shouldSwap = false;
    notice(FAILED);
  }
});
document.addEventListener("htmx:sendError", (event) => {
  lost();
  if (event.detail.requestConfig.verb !== "get") notice(GONE);
});
whenBack((wasSaid) => {
  if (wasSaid && document.querySelector("#notice p")?.textContent === GONE) notice(THERE, "done");
});
document.addEventListener("htmx:responseError", () => notice(FAILED));
