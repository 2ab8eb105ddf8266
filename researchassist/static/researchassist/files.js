// Files: picked, dropped anywhere on the page or pasted; each is sent on its own and becomes a row.
"use strict";

(() => {
  const AT_ONCE = 3;
  const waiting = [];
  let sending = 0;

  const form = () => document.getElementById("files-form");
  const zone = () => document.getElementById("drop-zone");

  const make = (tag, name, text) => {
    const made = document.createElement(tag);
    made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");

  // The row a file has until the server's own takes its place.
  const rowOf = (file) => {
    const row = make("article", "command command-sending");
    const line = make("p", "command-line");
    line.append(make("span", "quiet", "File"), " ", file.name);
    const status = make("div", "status");
    status.append(make("span", "pulse"), make("span", "status-text", "Waiting to be sent…"));
    row.append(line, status);
    row.setAttribute("hx-encoding", "multipart/form-data");
    document.getElementById("conversation").append(row);
    row.scrollIntoView({ block: "nearest" });
    return row;
  };

  const say = (row, words) => { row.querySelector(".status-text").textContent = words; };

  const refuse = (row, words) => {
    const box = make("div", "notice notice-error");
    box.append(make("p", "", words));
    row.className = "command command-failed";
    row.querySelector(".status").replaceWith(box);
  };

  const send = (file, row) => {
    sending += 1;
    say(row, "Sending…");
    row.addEventListener("htmx:xhr:progress", (event) => {
      const { loaded, total } = event.detail;
      if (total && row.querySelector(".status-text")) say(row, loaded < total ? `Sending: ${Math.floor((100 * loaded) / total)} %` : "Sent; starting to read…");
    });
    row.addEventListener("htmx:afterRequest", (event) => {
      if (event.detail.successful) return;
      const words = new DOMParser().parseFromString(event.detail.xhr.responseText || "", "text/html").querySelector(".notice p");
      document.getElementById("notice").replaceChildren();
      refuse(row, words ? words.textContent : "The file could not be sent. Add it once more.");
    });
    const done = () => { sending -= 1; next(); };
    htmx.ajax("POST", form().action, { source: row, target: row, swap: "outerHTML", values: { file, key: key() } }).then(done, done);
  };

  // In a conversation that does not exist yet the first file makes it; the others follow.
  const next = () => {
    const room = window.location.pathname === "/" ? 1 : AT_ONCE;
    while (waiting.length && sending < room) send(...waiting.shift());
  };

  const add = (files) => {
    const most = Number(form().dataset.megabytes);
    for (const file of files) {
      const row = rowOf(file);
      if (file.size > most * 1e6) refuse(row, `${file.name}: larger than ${most} MB.`);
      else waiting.push([file, row]);
    }
    next();
  };

  const hasFiles = (event) => form() && event.dataTransfer && [...event.dataTransfer.types].includes("Files");

  document.addEventListener("change", (event) => {
    if (event.target.id !== "files") return;
    add([...event.target.files]);
    event.target.value = "";
  });
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    zone().hidden = false;
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget && zone()) zone().hidden = true; });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    zone().hidden = true;
    add([...event.dataTransfer.files]);
  });
  document.addEventListener("paste", (event) => {
    if (!form() || !event.clipboardData || !event.clipboardData.files.length) return;
    event.preventDefault();
    add([...event.clipboardData.files]);
  });
})();
