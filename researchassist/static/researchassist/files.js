// Files: picked, dropped anywhere on the page or pasted; each is sent on its own and becomes a row.

import { clearNotice, conversation, make, notice } from "./page.js";

const AT_ONCE = 3;
const MOST = 500; // files of one drop, folders opened
const NAME_CHARS = 60;

const waiting = [];
let sending = 0;

const form = () => document.getElementById("files-form");
const zone = () => document.getElementById("drop-zone");

export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))]
  .map((number) => number.toString(16).padStart(2, "0")).join("");

// The row a file has until the server's own takes its place.
const rowOf = (file) => {
  const row = make("article", "command command-sending");
  const line = make("p", "command-line");
  line.append(make("span", "quiet", "File"), " ", file.name);
  const status = make("div", "status");
  status.append(make("span", "pulse"), make("span", "status-text", "Waiting to be sent…"));
  row.append(line, status);
  row.setAttribute("hx-encoding", "multipart/form-data");
  conversation().append(row);
  row.scrollIntoView({ block: "nearest" });
  return row;
};

const say = (row, words) => { row.querySelector(".status-text").textContent = words; };

const refuse = (row, words) => {
  const frame = make("div", "notice notice-error");
  frame.append(make("p", "", words));
  row.className = "command command-failed";
  row.querySelector(".status").replaceWith(frame);
};

const wordsOf = (xhr) => new DOMParser().parseFromString(xhr.responseText || "", "text/html").querySelector(".notice p")?.textContent;

const send = ({ file, row, tell }) => {
  sending += 1;
  say(row, "Sending…");
  let taken = false;
  row.addEventListener("htmx:xhr:progress", (event) => {
    const { loaded, total } = event.detail;
    if (total && row.querySelector(".status-text")) say(row, loaded < total ? `Sending: ${Math.floor((100 * loaded) / total)} %` : "Sent; starting to read…");
  });
  row.addEventListener("htmx:beforeSwap", (event) => { taken = event.detail.xhr.status < 400; });
  row.addEventListener("htmx:afterRequest", (event) => {
    const { xhr } = event.detail;
    if (xhr.status && xhr.status < 400) return;
    clearNotice();
    refuse(row, wordsOf(xhr) || "The file could not be sent. Add it once more.");
  });
  const done = () => {
    sending -= 1;
    tell(taken);
    next();
  };
  htmx.ajax("POST", form().action, { source: row, target: row, swap: "outerHTML", values: { file, key: newKey(), begun: document.getElementById("begun").value } }).then(done, done);
};

// In a conversation that does not exist yet the first file makes it; the others follow.
function next() {
  const room = window.location.pathname === "/" ? 1 : AT_ONCE;
  while (waiting.length && sending < room) send(waiting.shift());
}

// Whether the server took it, once it has said so.
const add = (file) => new Promise((tell) => {
  const row = rowOf(file);
  const most = Number(form().dataset.megabytes);
  if (file.size > most * 1e6) {
    refuse(row, `${file.name}: larger than ${most} MB.`);
    tell(false);
    return;
  }
  waiting.push({ file, row, tell });
  next();
});

export const addText = (text) => {
  const line = text.trim().split("\n", 1)[0].replace(/[^\p{L}\p{N} .,-]+/gu, " ").trim();
  const name = line.slice(0, NAME_CHARS).replace(/[ .]+$/, "") || "Text";
  // One name and title are versions of one document; two texts that begin alike are two.
  const time = new Date().toISOString().slice(0, 23).replace("T", " ").replaceAll(":", ".");
  return add(new File([text], `${name}, pasted ${time}.txt`, { type: "text/plain" }));
};

// Folders are opened; what begins with a dot is the system's own.
const childrenOf = async (folder) => {
  const reader = folder.createReader();
  const children = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) return children;
    children.push(...some);
  }
};

const filesIn = async (entry) => {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [await new Promise((resolve, reject) => { entry.file(resolve, reject); })];
  const files = [];
  for (const child of await childrenOf(entry)) {
    files.push(...await filesIn(child));
    if (files.length > MOST) break;
  }
  return files;
};

const dropped = async (data) => {
  const plain = [...data.files];
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  return (await Promise.all(entries.map(filesIn))).flat();
};

const hasFiles = (event) => form() && event.dataTransfer && [...event.dataTransfer.types].includes("Files");
const hide = () => { if (zone()) zone().hidden = true; };

document.addEventListener("change", (event) => {
  if (event.target.id !== "files") return;
  for (const file of [...event.target.files]) add(file);
  event.target.value = "";
});
document.addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  zone().hidden = false;
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) hide(); });
document.addEventListener("pointermove", hide); // a drag that was given up elsewhere
document.addEventListener("drop", async (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  hide();
  const files = await dropped(event.dataTransfer);
  if (files.length > MOST) notice(`These are more than ${MOST} files: the first ${MOST} are read. "manage.py ingest" takes any number.`);
  for (const file of files.slice(0, MOST)) add(file);
});
document.addEventListener("paste", (event) => {
  if (!form() || !event.clipboardData || !event.clipboardData.files.length) return;
  event.preventDefault();
  for (const file of [...event.clipboardData.files]) add(file);
});
