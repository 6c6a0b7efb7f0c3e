// Pages are whole without it: charts have their sentence and their points as CSV, forms a button.
"use strict";

// What a mark of a chart says, beside the pointer; with the arrow keys, of a chart in focus.

const NEAR = 24;
const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("role", "status");
document.body.append(tip);

function show(words, x, y) {
  tip.textContent = words;
  tip.classList.add("shown");
  const left = Math.min(x + 12, document.documentElement.clientWidth - tip.offsetWidth - 4);
  const above = y - tip.offsetHeight - 12;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${above < 4 ? y + 16 : above}px`;
}

function hide() {
  tip.classList.remove("shown");
  tip.textContent = "";
}

function distance(box, x, y) {
  const across = Math.max(box.left - x, 0, x - box.right);
  return Math.hypot(across, Math.max(box.top - y, 0, y - box.bottom));
}

// Marks are points, and intervals around them that say the same.
function addMarks(chart, marks) {
  const stops = [...new Map(marks.map((mark) => [mark.dataset.says, mark])).values()];
  let place = -1;
  addPointer(chart, ({ clientX, clientY }) => {
    const [near, mark] = marks
      .map((one) => [distance(one.getBoundingClientRect(), clientX, clientY), one])
      .reduce((best, one) => (one[0] < best[0] ? one : best));
    if (near > NEAR) hide();
    else show(mark.dataset.says, clientX, clientY);
  });
  addKeys(chart, (across) => {
    place = Math.min(Math.max(place + across, 0), stops.length - 1);
    const box = stops[place].getBoundingClientRect();
    show(stops[place].dataset.says, (box.left + box.right) / 2, box.top);
  });
}

// A heat map is one image; its scores are read when they are first asked for.
function addCells(chart, image) {
  let cells = null;
  let row = 0;
  let column = -1;
  const read = async () => {
    cells ??= fetch(chart.dataset.cells).then((answer) => answer.text()).then(gridOf);
    return cells;
  };
  const say = (grid, x, y) => {
    const [topic, run, score] = grid.rows[row * grid.runs + column];
    show(`topic ${topic}, ${run}: ${shortOf(score)}`, x, y);
  };
  addPointer(chart, async ({ clientX, clientY }) => {
    const grid = await read();
    const box = image.getBoundingClientRect();
    if (distance(box, clientX, clientY) > 0) return hide();
    const at = (from, size, number) => Math.min(Math.floor((from / size) * number), number - 1);
    column = at(clientX - box.left, box.width, grid.runs);
    row = at(clientY - box.top, box.height, grid.topics);
    return say(grid, clientX, clientY);
  });
  addKeys(chart, async (across, down) => {
    const grid = await read();
    const box = image.getBoundingClientRect();
    column = Math.min(Math.max(column + across, 0), grid.runs - 1);
    row = Math.min(Math.max(row + down, 0), grid.topics - 1);
    const x = box.left + ((column + 0.5) * box.width) / grid.runs;
    say(grid, x, box.top + (row * box.height) / grid.topics);
  });
}

function addPointer(chart, point) {
  for (const kind of ["pointermove", "pointerdown"]) chart.addEventListener(kind, point);
  chart.addEventListener("pointerleave", hide);
}

function addKeys(chart, step) {
  const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  chart.tabIndex = 0;
  chart.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    step(...steps[event.key]);
  });
  chart.addEventListener("blur", hide);
}

// Names have no apostrophe here, which CSV puts before those that a spreadsheet would compute.
function gridOf(written) {
  const field = /("(?:[^"]|"")*"|[^,\n]*)(,|\n)/g;
  const rows = [[]];
  for (const [, value, end] of written.matchAll(field)) {
    const name = value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value;
    rows.at(-1).push(name.replace(/^'(?='*[=+@-])/, ""));
    if (end === "\n") rows.push([]);
  }
  const cells = rows.slice(1, -1);
  const runs = cells.findIndex(([topic]) => topic !== cells[0][0]);
  const across = runs < 0 ? cells.length : runs;
  return { rows: cells, runs: across, topics: cells.length / across };
}

function shortOf(score) {
  return Number(score).toFixed(4).replace(/^(-?)0\./, "$1.");
}

function addTips(within) {
  for (const chart of within.querySelectorAll(".chart")) {
    const marks = [...chart.querySelectorAll("[data-says]")];
    const image = chart.querySelector("svg image");
    if (chart.dataset.cells && image) addCells(chart, image);
    else if (marks.length) addMarks(chart, marks);
  }
}

// A form whose answer follows what is typed; what is refused is said in place of the answer.
function addAnswers(form, answer) {
  let asked = 0;
  form.addEventListener("input", () => {
    const number = ++asked;
    setTimeout(async () => {
      if (number !== asked) return;
      const address = `${form.action}?${new URLSearchParams(new FormData(form))}`;
      const written = await fetch(address).then((page) => page.text());
      if (number !== asked) return;
      const page = new DOMParser().parseFromString(written, "text/html");
      const refused = page.querySelector(".refused");
      answer.replaceChildren(...(refused ? [refused] : page.getElementById("answer").childNodes));
      addTips(answer);
      history.replaceState(null, "", address);
    }, 300);
  });
}

// A form whose fields follow the study and the task that are chosen in it.
function addFields(form, fields) {
  form.addEventListener("change", async ({ target }) => {
    if (!["study", "task"].includes(target.name)) return;
    const chosen = new URLSearchParams(new FormData(form));
    const address = `${form.action}?${chosen}&form=only`;
    const written = await fetch(address).then((page) => page.text());
    if (`${new URLSearchParams(new FormData(form))}` !== `${chosen}`) return;
    const page = new DOMParser().parseFromString(written, "text/html");
    fields.replaceChildren(...page.getElementById("chosen").childNodes);
  });
}

addTips(document);
const choosing = document.querySelector("form.choosing");
if (choosing) addFields(choosing, document.getElementById("chosen"));
const live = document.querySelector("form.live");
if (live) addAnswers(live, document.getElementById("answer"));
