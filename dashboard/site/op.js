// The page of an op: a trend a case, grouped by dtype and size, and one case in detail with all its results as a table.
"use strict";
(function () {
  const { element, site, op } = assay;
  const byId = (id) => document.getElementById(id);

  const all = op.series;
  for (const one of all) {
    one.key = assay.trendKey(one);
    one.marks = one.changes.map(([index, before, after]) => [one.commit[index], after / before]);
  }

  // Title of a case; math mode, inputs and dimensions only where two cases would otherwise read the same, a method that is not the usual always.
  function caseTitle(one) {
    const twins = all.filter((other) => other !== one && other.card === one.card && other.mode === one.mode &&
      other.variant === one.variant && other.dtype === one.dtype && other.size === one.size);
    const extra = twins.length === 0 ? [] : ["math", "inputs", "dims"].filter((key) => twins.some((other) => other[key] !== one[key])).map((key) => one[key]);
    return [one.variant, ...extra, one.method].filter(Boolean).join(" \u00b7 ");
  }

  const dimsText = (text) => {
    try { return Object.entries(JSON.parse(text)).map(([name, value]) => `${name}=${value}`).join(", "); } catch (broken) { return text; }
  };

  function latestText(one) {
    const i = one.mean.length - 1;
    return one.mean[i] === null ? assay.statusText[one.status[i]] : assay.time(one.mean[i]);
  }

  function changeNote(one, span) {
    const net = assay.netChange(one.marks, span), times = one.mean.filter((mean) => mean !== null).length;
    if (times < 6) return element("span", { class: "muted" }, times === 1 ? "one result" : `${times} results`); // no change could be confirmed yet
    return net === null ? element("span", { class: "muted" }, "steady") : assay.changeMark(net);
  }

  // The first charts are drawn at once, the others when they come near the screen, and all of them before printing.
  const pending = new Map();
  const drawer = "IntersectionObserver" in window ? new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  }, { rootMargin: "600px" }) : null;
  function draw(holder) {
    if (drawer) drawer.unobserve(holder);
    if (pending.has(holder)) pending.get(holder)();
    pending.delete(holder);
  }
  window.addEventListener("beforeprint", () => [...pending.keys()].forEach(draw));

  function commitRange(list) {
    return [Math.min(...list.map((one) => one.commit[0])), Math.max(...list.map((one) => one.commit[one.commit.length - 1]))];
  }

  function trend(one, commits, span) {
    const holder = element("div", { class: "plot" }), readout = element("small", { class: "readout" });
    const label = assay.trendName(one);
    pending.set(holder, () => assay.drawTrend(holder, one, { height: 150, commits, label, told: (text) => { readout.textContent = text; } }));
    if (drawer) drawer.observe(holder);
    return element("figure", { class: "trend", "data-case": one.key, "data-trend": assay.trendOf(assay.netChange(one.marks, span)) },
      element("figcaption", null, element("strong", null, caseTitle(one)), element("span", null, latestText(one), " ", changeNote(one, span))),
      holder, element("div", { class: "foot" }, readout,
        element("button", { type: "button", "aria-label": "Details of " + label, on: { click: () => select(one.key, true) } }, "Details")));
  }

  function resultsTable(one) {
    const body = element("tbody"), levels = new Map(one.changes.map(([index, before, after]) => [index, after / before]));
    for (let i = one.mean.length - 1; i >= 0; i--) {
      const [, time, subject] = site.commits[one.commit[i]], setup = site.setups[one.on[i]];
      const before = i > 0 ? site.setups[one.on[i - 1]] : setup;
      const moved = before !== setup ? `card or driver changed (${setup.filter(Boolean).join(", ")})` : "";
      body.append(element("tr", null,
        element("th", { scope: "row" }, assay.commitLink(one.commit[i]), element("small", { class: "muted block" }, assay.day(time))),
        element("td", { class: "number" }, assay.time(one.mean[i])),
        element("td", { class: "number" }, assay.interval(one.low[i], one.high[i])),
        element("td", null, levels.has(i) ? assay.changeMark(levels.get(i)) : "",
          moved ? element("small", { class: "muted block" }, moved) : null),
        element("td", null, assay.statusText[one.status[i]] + (one.dirty[i] ? ", uncommitted changes" : "")),
        element("td", { class: "wide-only" }, subject)));
    }
    const heads = [["Commit"], ["Mean", "number"], ["95% interval", "number"], ["Change from here on"], ["Status"], ["Subject", "wide-only"]];
    return element("div", { class: "scroll", role: "region", "aria-label": "Results", tabindex: "0" }, element("table", null,
      element("caption", null, "Results, newest first"),
      element("thead", null, element("tr", null, ...heads.map(([text, cls]) => element("th", { scope: "col", class: cls }, text)))), body));
  }

  const staticName = (key) => key.replace(/^(resources|static)\./, "").replaceAll("_", " ");

  // What the compiler said of the kernel: now, and before the last change. Open where something changed.
  function staticTable(one) {
    if (!one.static.length) return "";
    const body = element("tbody");
    for (const [key, values] of one.static) {
      const [point, now] = values[values.length - 1], before = values.length > 1 ? values[values.length - 2][1] : null;
      body.append(element("tr", null, element("th", { scope: "row" }, staticName(key)), element("td", { class: "number" }, String(now ?? "-")),
        element("td", { class: "number" }, before === null ? "" : String(before)),
        element("td", null, before === null ? "" : assay.commitLink(one.commit[point]), before === null ? "" : " of " + assay.day(site.commits[one.commit[point]][1]))));
    }
    const heads = [["Metric"], ["Now", "number"], ["Before", "number"], ["Since"]];
    return element("details", { open: one.static.some(([, values]) => values.length > 1) }, element("summary", null, "Resources of the compiled kernel"),
      element("div", { class: "scroll", role: "region", "aria-label": "Resources", tabindex: "0" }, element("table", { class: "static" },
        element("thead", null, element("tr", null, ...heads.map(([text, cls]) => element("th", { scope: "col", class: cls }, text)))), body)));
  }

  function showDetail(one) {
    const panel = byId("detail"), readout = element("p", { class: "readout" }), holder = element("div", { class: "plot" });
    const facts = [assay.cardName(one.card), `${one.mode} time`, one.method, dimsText(one.dims), one.math, one.inputs + " inputs"];
    if (one.speedup !== null) facts.push(`${one.speedup.toFixed(2)}x the best baseline`);
    if (one.bound) facts.push(`${assay.digits(one.bound, 3)}% of the roofline bound`);
    panel.replaceChildren(element("h3", { id: "detail-title" }, `${one.variant} ${one.dtype} ${one.size}: ${latestText(one)}`),
      element("p", { class: "muted" }, facts.filter(Boolean).join(", ")),
      one.reason ? element("p", null, one.reason) : "", holder, readout, staticTable(one), resultsTable(one),
      element("button", { type: "button", on: { click: () => select("", true) } }, "Close details"));
    panel.hidden = false;
    assay.drawTrend(holder, one, { height: 280, commits: commitRange([one]), dots: one.mean.length <= 150,
      label: one.key, told: (text) => { readout.textContent = text; } });
  }

  // GPUs first, then those with newer results.
  const newestOn = (index) => Math.max(...all.filter((one) => one.card === index && one.commit.length).map((one) => one.commit[one.commit.length - 1]));
  const usedCards = site.cards.map((card, index) => index).filter((index) => newestOn(index) >= 0)
    .sort((a, b) => (site.cards[a][2] === "cpu") - (site.cards[b][2] === "cpu") || newestOn(b) - newestOn(a));
  const mainMode = all.some((one) => one.mode === "cold") ? "cold" : all[0].mode;
  const fields = [
    { name: "card", label: "Card", options: usedCards.map((index) => [site.cards[index][0], assay.cardName(index)]) },
    { name: "mode", label: "Mode", options: assay.distinct(all.map((one) => one.mode)).map((mode) => [mode, mode]), initial: mainMode },
    { name: "variant", label: "Variant", options: assay.anyOf(all.map((one) => one.variant)) },
    { name: "dtype", label: "Dtype", options: assay.anyOf(all.map((one) => one.dtype)) },
    { name: "size", label: "Size", options: assay.anyOf(all.map((one) => one.size)) },
    ...assay.methodFields(all),
    { name: "status", label: "Status", options: [["", "all"], ...Object.entries(assay.statusText)] },
    { name: "kind", label: "Kind", options: assay.kinds, initial: "variant" },
    { name: "trend", label: "Trend", options: [["", "all"], ["slower", "slower"], ["faster", "faster"], ["steady", "steady"]] },
    { name: "span", label: "Changes within", options: assay.spans, initial: "30" },
  ];

  const matches = (one, state) => site.cards[one.card][0] === state.card && one.mode === state.mode &&
    (!state.variant || one.variant === state.variant) && (!state.dtype || one.dtype === state.dtype) &&
    (!state.size || one.size === state.size) && (!state.kind || one.kind === state.kind) && assay.hasMethod(one, state.method) &&
    (!state.status || one.status[one.status.length - 1] === state.status) &&
    (!state.trend || assay.trendOf(assay.netChange(one.marks, state.span)) === state.trend);

  let selected = assay.readState().case || "";
  function apply(state) {
    const shown = all.filter((one) => one.commit.length && matches(one, state));
    for (const holder of pending.keys()) if (drawer) drawer.unobserve(holder);
    pending.clear();
    const parts = [];
    const commits = shown.length ? commitRange(shown) : [0, 1];
    for (const dtype of assay.distinct(shown.map((one) => one.dtype)))
      for (const size of assay.distinct(shown.filter((one) => one.dtype === dtype).map((one) => one.size))) {
        const group = shown.filter((one) => one.dtype === dtype && one.size === size);
        const dims = new Set(group.map((one) => dimsText(one.dims)));
        parts.push(element("h3", null, `${dtype} \u00b7 ${size}` + (dims.size === 1 && [...dims][0] ? ` (${[...dims][0]})` : "")),
          element("div", { class: "grid" }, ...group.map((one) => trend(one, commits, state.span))));
      }
    byId("trends").replaceChildren(...parts);
    [...pending.keys()].slice(0, drawer ? 9 : undefined).forEach(draw);
    byId("shown").textContent = `${shown.length} of ${all.length} trends shown.`;
    showSelected(state);
  }

  // The selected case at the chosen card and mode, whatever the other filters say.
  function showSelected(state) {
    const one = all.find((item) => item.key === selected && site.cards[item.card][0] === state.card && item.mode === state.mode && item.commit.length);
    if (one) showDetail(one); else byId("detail").hidden = true;
    const changed = fields.filter((field) => state[field.name] !== (field.initial !== undefined ? field.initial : field.options[0][0]));
    assay.writeState({ ...Object.fromEntries(changed.map((field) => [field.name, state[field.name]])), case: one ? selected : "" });
  }

  function select(key, move) {
    const before = selected;
    selected = key;
    showSelected(filters.read());
    if (!move) return;
    const target = key ? byId("detail") : [...document.querySelectorAll("[data-case]")].find((node) => node.dataset.case === before);
    if (target) { target.scrollIntoView({ block: "start" }); (target.matches("section") ? target : target.querySelector("button")).focus({ preventScroll: true }); }
  }

  for (const link of document.querySelectorAll(".chips a")) if (link.textContent === op.name) link.setAttribute("aria-current", "page");
  const filters = assay.makeFilters(byId("filters"), fields, assay.readState(), apply);
  apply(filters.read());
  // Charts scale with the window; once it has come to rest they are drawn anew for their width.
  let width = window.innerWidth, resting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return; // a phone's address bar changes the height only
    clearTimeout(resting);
    resting = setTimeout(() => { width = window.innerWidth; apply(filters.read()); }, 250);
  });
  window.addEventListener("hashchange", () => {
    const state = assay.readState();
    if ((state.case || "") !== selected) select(state.case || "", false);
  });
  assay.done();
})();
