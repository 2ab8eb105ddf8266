// What several scripts need of the page: its few fixed places, and words put into them.

export const box = () => document.getElementById("query");
export const composer = () => document.getElementById("composer");
export const conversation = () => document.getElementById("conversation");

export const make = (tag, name, text) => {
  const element = document.createElement(tag);
  element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

// A sentence beside the composer.
export const notice = (words, kind = "error") => {
  const place = document.getElementById("notice");
  if (!place) return;
  const frame = make("div", `notice notice-${kind}`);
  frame.append(make("p", "", words));
  place.replaceChildren(frame);
};

export const clearNotice = () => document.getElementById("notice")?.replaceChildren();

// For those who do not see the page: said once, by the screen reader.
export const announce = (words) => {
  const place = document.getElementById("announce");
  if (place && place.textContent !== words) place.textContent = words;
};
