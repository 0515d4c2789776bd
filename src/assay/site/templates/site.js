// SPDX-License-Identifier: MIT
// Filters that stand in the address, relative units, and the choice of pairs to compare.
const FILTERS = ["op", "level", "ct", "code", "mem"];

function settings() {
  return new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
}

function remember(name, value) {
  const kept = settings();
  if (value) kept.set(name, value); else kept.delete(name);
  history.replaceState(null, "", `#${kept}`);
}

function passes(row, kept) {
  const data = row.dataset;
  if (kept.get("op") && data.op !== kept.get("op")) return false;
  if (kept.get("ct") === "1" && data.ct !== "1") return false;
  if (kept.get("level") && !(Number(data.level) >= Number(kept.get("level")))) return false;
  if (kept.get("code") && !(Number(data.code ?? "x") <= Number(kept.get("code")))) return false;
  if (kept.get("mem") && !(Number(data.mem ?? "x") <= Number(kept.get("mem")))) return false;
  return true;
}

function applyFilters(form) {
  const kept = settings();
  let shown = 0;
  for (const row of document.querySelectorAll("li.row")) {
    row.hidden = !passes(row, kept);
    shown += row.hidden ? 0 : 1;
  }
  for (const section of document.querySelectorAll("section.operation")) {
    section.hidden = !section.querySelector("li.row:not([hidden])");
  }
  for (const block of document.querySelectorAll("ol.block")) {
    block.hidden = !block.querySelector("li.row:not([hidden])");
  }
  form.querySelector("output").textContent = `${shown} shown`;
  for (const link of document.querySelectorAll("a.keeps")) {
    link.href = `${link.href.split("#")[0]}${kept.size ? `#${kept}` : ""}`;
  }
}

function startFilters(form) {
  form.hidden = false;
  const kept = settings();
  for (const name of FILTERS) {
    const field = form.elements[name];
    if (!field) continue;
    if (field.type === "checkbox") field.checked = kept.get(name) === "1";
    else field.value = kept.get(name) ?? "";
    field.addEventListener("input", () => {
      remember(name, field.type === "checkbox" ? (field.checked ? "1" : "") : field.value);
      applyFilters(form);
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  const machine = form.elements.machine;
  machine?.addEventListener("change", () => { location.href = `${machine.value}${location.hash}`; });
  applyFilters(form);
}

function short(value) {
  if (value >= 1000) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

// Each chart or table has figures of one unit: the best of them is 1.00, or a row of one's choice.
function showUnit(holder, unit) {
  const cells = [...holder.querySelectorAll("[data-v]")];
  const values = cells.map((cell) => Number(cell.dataset.v));
  const named = unit.startsWith("=")
    ? cells.find((cell) => rowName(cell) === unit.slice(1)) : null;
  const base = named ? Number(named.dataset.v) : Math.min(...values);
  for (const [at, cell] of cells.entries()) {
    const target = cell.querySelector(".figure") ?? cell;
    if (unit === "ns") target.textContent = cell.dataset.ns ? short(Number(cell.dataset.ns)) : "-";
    else if (unit === "best" || named) target.textContent = (values[at] / base).toFixed(2);
    else target.textContent = short(values[at]);
  }
  for (const name of holder.querySelectorAll(".unit-name")) {
    name.dataset.own ??= name.textContent;
    const per = name.dataset.own.split("/")[1];
    name.textContent = unit === "ns" ? `ns/${per}` : unit === "best" ? "best = 1"
      : named ? `${unit.slice(1)} = 1` : name.dataset.own;
  }
}

function rowName(cell) {
  const link = cell.querySelector("a") ?? cell.closest("tr")?.querySelector("th");
  return link ? link.textContent.trim() : "";
}

function startUnits(place) {
  const holders = [...document.querySelectorAll("figure.ranked, table.figures")];
  if (!holders.length) return;
  const names = new Set(holders.flatMap((one) =>
    [...one.querySelectorAll("[data-v]")].slice(0, 40).map(rowName)));
  const select = document.createElement("select");
  select.name = "unit";
  const choices = [["", "as measured"], ["ns", "nanoseconds"], ["best", "1.00 = the machine's best"],
    ...[...names].filter(Boolean).map((name) => [`=${name}`, `${name} = 1.00`])];
  for (const [value, text] of choices) select.add(new Option(text, value));
  const label = document.createElement("label");
  label.append("Units", select);
  place.append(label);
  place.hidden = false;
  select.value = settings().get("unit") ?? "";
  const apply = () => holders.forEach((one) => showUnit(one, select.value));
  select.addEventListener("change", () => { remember("unit", select.value); apply(); });
  if (select.value) apply();
}

document.querySelectorAll("form.filters:not(.pair)").forEach(startFilters);
document.querySelectorAll(".units").forEach(startUnits);

// Comparing: the exact interval of the Mann-Whitney test, as `assay compare` has it for few launches.
function criticalU(n, m, level) {
  let counts = [1, ...Array(n * m).fill(0)];
  for (let step = 1; step <= n; step += 1) {
    for (let at = counts.length - 1; at >= m + step; at -= 1) counts[at] -= counts[at - m - step];
    for (let at = step; at < counts.length; at += 1) counts[at] += counts[at - step];
  }
  const total = counts.reduce((sum, one) => sum + one, 0);
  let below = 0;
  let found = -1;
  for (let at = 0; at <= (n * m) / 2; at += 1) {
    below += counts[at];
    if (below > (total * level / 2) * (1 + 1e-12)) break;
    found = at;
  }
  return found;
}

const MOST_EXACT = 30; // launches of a side: beyond, every n-th is taken

function thinned(values) {
  const step = Math.ceil(values.length / MOST_EXACT);
  return values.filter((_, at) => at % step === 0);
}

function changeOf(first, second) {
  const [a, b] = [thinned(first), thinned(second)];
  const steps = a.flatMap((x) => b.map((y) => Math.log(y / x))).sort((x, y) => x - y);
  const percent = (step) => 100 * (Math.exp(step) - 1);
  const half = steps.length / 2;
  const middle = (steps[Math.ceil(half) - 1] + steps[Math.floor(half)]) / 2;
  const limit = criticalU(a.length, b.length, 0.05);
  const between = limit < 0 ? null : [percent(steps[limit]), percent(steps[steps.length - 1 - limit])];
  return { change: percent(middle), between };
}

function signed(value) { return `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(2)}`; }

function median(values) {
  const sorted = [...values].sort((x, y) => x - y);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function nameOf(row) { return `${row[0]}, ${row[1]}, ${row[2]}, ${row[3].replace("T", " ") || "no date"}`; }

// Cycles of two machines compare; ticks of two machines do not, but times do.
function valuesOf(a, b) {
  if (a[5] === b[5] && (a[2] === b[2] || !a[5].startsWith("ticks"))) return [a[6], b[6], a[5]];
  if (a[7] && b[7]) {
    const time = (row) => row[6].map((value) => value * 1e9 / row[7]);
    return [time(a), time(b), `ns/${a[5].split("/")[1]}`];
  }
  return null;
}

function sayChange(place, a, b) {
  const found = valuesOf(a, b);
  if (!found) {
    place.textContent = `${a[5]} and ${b[5]} cannot be compared: no clock rate is known.`;
    return;
  }
  const [first, second, unit] = found;
  const { change, between } = changeOf(first, second);
  const figures = `${short(median(first))} and ${short(median(second))} ${unit}`;
  if (!between) {
    place.textContent = `${figures}: too few launches (${first.length} and ${second.length}) to say more.`;
    return;
  }
  const sure = between[0] > 0 || between[1] < 0;
  const verdict = sure ? (change > 0 ? "The second is slower" : "The second is faster") : "The two are not separated";
  place.textContent = `${verdict}: its time changes by ${signed(change)} % (95 %: ${signed(between[0])} to ${signed(between[1])} %). `
    + `${figures}; ${first.length} and ${second.length} launches.`;
}

function sayDifferences(place, data, a, b) {
  const about = (row) => ({ implementation: row[0], configuration: row[1], options: row[8],
    machine: row[2], measured: row[3], "package version": row[9], ...data.facts[row[4]] });
  const [one, other] = [about(a), about(b)];
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const text of ["What differs", "First", "Second"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (one[name] === other[name]) continue;
    const row = body.insertRow();
    const heading = document.createElement("th");
    heading.scope = "row";
    heading.textContent = name;
    row.append(heading);
    for (const text of [one[name], other[name]]) row.insertCell().textContent = text ?? "unknown";
  }
  place.replaceChildren(table);
  place.hidden = !body.rows.length;
}

function startPairs(form) {
  const data = JSON.parse(document.getElementById("series").textContent);
  if (data.rows.length < 2) return;
  form.hidden = false;
  const kept = settings();
  for (const [at, name] of ["a", "b"].entries()) {
    const field = form.elements[name];
    for (const [number, row] of data.rows.entries()) field.add(new Option(nameOf(row), nameOf(row), false, number === at));
    if ([...field.options].some((one) => one.value === kept.get(name))) field.value = kept.get(name);
  }
  const say = () => {
    const [a, b] = ["a", "b"].map((name) => data.rows[form.elements[name].selectedIndex]);
    const place = document.getElementById("compared");
    place.hidden = false;
    sayChange(place, a, b);
    sayDifferences(document.getElementById("differs"), data, a, b);
  };
  form.addEventListener("input", () => {
    for (const name of ["a", "b"]) remember(name, form.elements[name].value);
    say();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  say();
}

document.querySelectorAll("form.pair").forEach(startPairs);
