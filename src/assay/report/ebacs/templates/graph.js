// SPDX-License-Identifier: MIT
// Draws medians over message length with bands between the quartiles, by uPlot.
// Chosen series only; a choice draws the graph anew, which takes milliseconds.
"use strict";

(() => {
  const graphs = JSON.parse(document.getElementById("graph-data").textContent);
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31"];
  const DASHES = [undefined, [8, 4], [2, 3], [10, 3, 2, 3]];
  const HEIGHT = 420;
  const state = { graph: 0, perUnit: false, logX: true, logY: true, chosen: new Set() };
  let plot = null;

  const holder = document.getElementById("plot");
  const readout = document.getElementById("readout");

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function colour(index) {
    return COLOURS[index % COLOURS.length];
  }

  function dash(index) {
    return DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
  }

  function style(name) {
    return getComputedStyle(document.body).getPropertyValue(name).trim();
  }

  // The columns of uPlot: lengths, then median, third and first quartile of each chosen series.
  function columns(graph, indexes) {
    const from = graph.x.findIndex((x) => x > 0 || !(state.logX || state.perUnit));
    const x = graph.x.slice(from);
    const value = (y, i) => {
      if (y === null) return null;
      const scaled = state.perUnit ? y / (graph.factor * x[i]) : y;
      return state.logY && scaled <= 0 ? null : scaled;
    };
    const data = [x];
    for (const index of indexes) {
      const one = graph.series[index];
      const m = one.m.slice(from);
      const add = (by, sign) => m.map((y, i) => (y === null ? null : y + sign * by[from + i]));
      data.push(m.map(value), add(one.hi, 1).map(value), add(one.lo, -1).map(value));
    }
    return data;
  }

  function options(graph, indexes) {
    const axis = { stroke: style("--ink"), grid: { stroke: style("--rule"), width: 1 }, ticks: { stroke: style("--rule"), width: 1 } };
    const unit = `${graph.unit} per ${state.perUnit ? graph.per : "call"}`;
    const series = [{}];
    const bands = [];
    for (const index of indexes) {
      const hidden = { width: 0, stroke: "transparent", points: { show: false }, spanGaps: true };
      series.push({ label: graph.series[index].name, stroke: colour(index), dash: dash(index), width: 1.6, points: { show: graph.x.length < 60, size: 4 }, spanGaps: true }, { ...hidden }, { ...hidden });
      bands.push({ series: [series.length - 2, series.length - 1], fill: `${colour(index)}33` });
    }
    return {
      width: Math.max(320, holder.clientWidth), height: HEIGHT,
      title: `${graph.place}: ${unit}, lower is better`,
      legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 30 } },
      scales: { x: { time: false, distr: state.logX ? 3 : 1, log: 2 }, y: { distr: state.logY ? 3 : 1, log: 10 } },
      axes: [{ ...axis, label: graph.per === "item" ? "items" : "bytes" }, { ...axis, label: `${unit} (lower is better)`, size: 80 }],
      series, bands,
      hooks: { setCursor: [(u) => tell(u, graph, indexes)] },
    };
  }

  function tell(u, graph, indexes) {
    const at = u.cursor.idx;
    if (at === null || at === undefined) {
      readout.textContent = "";
      return;
    }
    const digits = (y) => (y === null || y === undefined ? "–" : y.toPrecision(4) * 1);
    const parts = indexes.map((index, i) => `${graph.series[index].name} ${digits(u.data[3 * i + 1][at])}`);
    readout.textContent = `${u.data[0][at]}: ${parts.join(", ")}`;
  }

  function draw() {
    const graph = graphs[state.graph];
    const indexes = graph.series.map((_, index) => index).filter((index) => state.chosen.has(index));
    if (plot) plot.destroy();
    plot = new uPlot(options(graph, indexes), columns(graph, indexes), holder);
  }

  function box(label, key) {
    const input = make("input", { type: "checkbox", checked: state[key] });
    input.addEventListener("change", () => { state[key] = input.checked; draw(); });
    return make("label", {}, input, ` ${label}`);
  }

  function controls() {
    const found = [];
    if (graphs.length > 1) {
      const select = make("select", { ariaLabel: "Machine" });
      select.append(...graphs.map((graph, value) => make("option", { value, textContent: `${graph.place}: ${graph.unit}` })));
      select.addEventListener("change", () => choose(Number(select.value)));
      found.push(select);
    }
    if (graphs[0].per !== "call") found.push(box(`per ${graphs[0].per}`, "perUnit"));
    found.push(box("logarithmic lengths", "logX"), box("logarithmic costs", "logY"));
    const reset = make("button", { type: "button", textContent: "Whole range" });
    reset.addEventListener("click", draw);
    document.getElementById("controls").replaceChildren(...found, reset);
  }

  function entry(one, index) {
    const input = make("input", { type: "checkbox", checked: state.chosen.has(index) });
    input.addEventListener("change", () => {
      state.chosen[input.checked ? "add" : "delete"](index);
      draw();
    });
    const swatch = make("span", { className: "swatch" });
    swatch.style.borderTopColor = colour(index);
    swatch.style.borderTopStyle = dash(index) ? "dashed" : "solid";
    return make("li", {}, make("label", {}, input, " ", swatch, ` ${one.name} (${one.implementation})`));
  }

  function list(graph) {
    const items = graph.series.map(entry);
    const search = make("input", { type: "search", placeholder: "Find a name", ariaLabel: "Find a name" });
    search.addEventListener("input", () => {
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(search.value.toLowerCase());
    });
    const said = `${graph.series.length} series; ${graph.x.length} of ${graph.lengths} measured lengths are drawn.`;
    const note = make("p", { className: "unit", textContent: said });
    document.getElementById("series").replaceChildren(note, search, make("ul", {}, ...items));
  }

  function choose(number) {
    state.graph = number;
    state.chosen = new Set(graphs[number].series.slice(0, graphs[number].shown).keys());
    list(graphs[number]);
    draw();
  }

  controls();
  choose(0);
  window.addEventListener("resize", () => plot.setSize({ width: Math.max(320, holder.clientWidth), height: HEIGHT }));
})();
