// The steps of a running turn: what each tool does in words, how far it is, how it ended and after how long.

const TICK = 1000; // ms
const SHOWN_AFTER = 3; // seconds after which a running step says how long it has run

const make = (tag, name, text = "") => {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
};

const seconds = (count) => (count < 60 ? `${count} s` : `${Math.floor(count / 60)} min ${count % 60} s`);

export class Steps {
  constructor(list) {
    this.list = list;
    this.timer = 0;
  }

  get running() {
    return [...this.list.querySelectorAll(".step-running")];
  }

  find(id) {
    return this.running.find((step) => step.dataset.call === id);
  }

  // What the model said before it called a tool.
  say(words) {
    this.list.append(make("li", "step step-text", words));
  }

  add({ id, name, doing, ago }) {
    const step = make("li", "step step-running");
    step.dataset.call = id;
    step.dataset.since = String(Date.now() - 1000 * ago);
    step.append(make("span", "step-doing", doing), " ", make("code", "step-name", name), " ", make("span", "state"));
    this.list.append(step);
    if (!this.timer) this.timer = setInterval(() => this.tick(), TICK);
    this.tick();
  }

  progress({ id, words }) {
    const step = this.find(id);
    if (!step) return;
    const place = step.querySelector(".step-progress") || step.appendChild(make("span", "step-progress"));
    place.textContent = words;
  }

  end({ id, status, took }) {
    const step = this.find(id);
    if (!step) return;
    const failed = status !== "success";
    step.className = `step ${failed ? "step-failed" : "step-done"}`;
    step.querySelector(".state").textContent = `${failed ? "failed" : "done"} · ${took}`;
    step.querySelector(".step-progress")?.remove();
    if (!this.running.length) this.stop();
  }

  tick() {
    if (!this.list.isConnected) this.stop();
    for (const step of this.running) {
      const count = Math.floor((Date.now() - Number(step.dataset.since)) / 1000);
      step.querySelector(".state").textContent = count < SHOWN_AFTER ? "running…" : `running… ${seconds(count)}`;
    }
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }
}
