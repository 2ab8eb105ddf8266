// What was written and not yet sent, kept by conversation in this browser over reloads.

const PREFIX = "draft ";
const KEPT = 50; // drafts; the oldest go first

const read = (name) => {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null; // storage that is switched off, or not ours
  }
};

const all = () => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
  .map((name) => ({ name, at: read(name)?.at || 0 })).sort((one, other) => one.at - other.at);

export const draftOf = (thread) => read(PREFIX + thread);

export const dropDraft = (thread) => {
  try {
    localStorage.removeItem(PREFIX + thread);
  } catch { /* nothing could be kept either */ }
};

// `key` is the form's once it was sent with this text. False where the browser does not keep it.
export const keepDraft = (thread, text, key = "") => {
  if (!text) { dropDraft(thread); return true; }
  try {
    const others = all().filter(({ name }) => name !== PREFIX + thread);
    for (const { name } of others.slice(0, Math.max(others.length - KEPT + 1, 0))) localStorage.removeItem(name);
    localStorage.setItem(PREFIX + thread, JSON.stringify({ text, key, at: Date.now() }));
    return true;
  } catch {
    return false;
  }
};

// Tells of a draft that another tab has sent or emptied: the text it held.
export const whenDropped = (tell) => window.addEventListener("storage", (event) => {
  if (!event.key?.startsWith(PREFIX) || event.newValue !== null) return;
  tell(event.key.slice(PREFIX.length), JSON.parse(event.oldValue || "{}").text);
});
