// The overview: recent changes by commit, and the table of all cases with filters, sorting and sparklines.
"use strict";
(function () {
  const { element, site } = assay;
  const byId = (id) => document.getElementById(id);

  // Rows of data/overview.js as objects.
  const cases = [];
  for (const group of assay.overview) {
    const page = site.ops.find(([name]) => name === group.op)[1];
    for (const row of group.rows) {
      const [variant, dtype, size, kind, mode, math, method, reason, card, status, commit, mean, low, high, bound, speedup, spark, changes] = row;
      cases.push({ op: group.op, page, variant, dtype, size, kind, mode, math, method, reason, card, status, commit, mean, low, high, bound, speedup, spark, changes });
    }
  }

  const linkTo = (one, text) => element("a", { href: one.page + "#" + new URLSearchParams({
    card: site.cards[one.card][0], kind: one.kind, mode: one.mode, case: assay.trendKey(one),
  }) }, text);

  function showFacts() {
    const newest = site.commits.length - 1;
    const names = new Set(cases.map((one) => [one.op, one.variant, one.dtype, one.size, one.math, one.card].join(" "))); // one a case, whatever the method
    const facts = [[site.ops.length, "op"], [names.size, "case"], [site.commits.length, "commit"], [site.cards.length, "card model"]]
      .map(([count, what]) => `${count} ${what}${count === 1 ? "" : "s"}`).join(", ");
    byId("facts").append(facts + "; newest commit ", assay.commitLink(newest),
      ` of ${assay.day(site.commits[newest][1])}. Times are cold means unless a case says otherwise.`);
  }

  // Commits with changes of kernels within the span, newest first.
  function showChanges(span) {
    const first = span === "all" ? 0 : site.commits.length - Number(span);
    const byCommit = new Map();
    for (const one of cases) {
      if (one.kind !== "variant") continue;
      for (const [commit, ratio, moved] of one.changes) {
        if (commit < first) continue;
        if (!byCommit.has(commit)) byCommit.set(commit, []);
        byCommit.get(commit).push([one, ratio, moved]);
      }
    }
    const commits = [...byCommit.keys()].sort((a, b) => b - a);
    byId("changes-note").textContent = commits.length
      ? "Commits from which on the level of a kernel's time is another one: confirmed by the runs since, and at least 2%."
      : `No kernel's time has changed its level within ${span === "all" ? "the history" : "the last " + span + " commits"}.`;
    byId("changes").replaceChildren(...(commits.length ? [changesTable(commits, byCommit)] : []));
  }

  function changesTable(commits, byCommit) {
    const body = element("tbody");
    for (const commit of commits) {
      const list = byCommit.get(commit).sort((a, b) => Math.abs(Math.log(b[1])) - Math.abs(Math.log(a[1])));
      const items = list.map(([one, ratio, moved]) => element("li", null, assay.changeMark(ratio), " ",
        linkTo(one, `${one.op} ${assay.trendName(one)}`), moved ? assay.movedNote() : null));
      const slower = list.filter(([, ratio]) => ratio > 1).length;
      const counts = [[slower, "slower"], [list.length - slower, "faster"]].filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
      const cell = element("td", null, items.length > 3 ? element("small", { class: "muted block" }, counts.join(", ")) : null,
        element("ul", { class: "plain" }, ...items.slice(0, 3)));
      if (items.length > 3)
        cell.append(element("details", null, element("summary", null, `${items.length - 3} more`), element("ul", { class: "plain" }, ...items.slice(3))));
      body.append(element("tr", null, element("th", { scope: "row" }, assay.commitLink(commit), element("small", { class: "muted block" }, assay.day(site.commits[commit][1]))),
        element("td", { class: "wide-only" }, site.commits[commit][2]), cell));
    }
    return element("div", { class: "scroll", role: "region", "aria-label": "Changes by commit", tabindex: "0" },
      element("table", { class: "changes" }, element("thead", null, element("tr", null, element("th", { scope: "col" }, "Commit"),
        element("th", { scope: "col", class: "wide-only" }, "Subject"), element("th", { scope: "col" }, "Kernels"))), body));
  }

  function sparkline(text) {
    const level = (letter) => parseInt(letter, 36);
    let path = "", drawn = false;
    [...text].forEach((letter, i) => {
      if (letter === ".") { drawn = false; return; }
      const x = (text.length > 1 ? (i * 126) / (text.length - 1) : 63) + 2, y = 23 - (level(letter) * 20) / 35;
      path += `${drawn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      if (!drawn) path += "h.01"; // a point by itself is a dot
      drawn = true;
    });
    return assay.svg("svg", { class: "spark", viewBox: "0 0 130 26", "aria-hidden": "true", preserveAspectRatio: "none" },
      assay.svg("path", { d: path, "stroke-linecap": "round", "vector-effect": "non-scaling-stroke" }));
  }

  // Sparklines are drawn when their row comes near the screen.
  const drawer = "IntersectionObserver" in window ? new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      drawer.unobserve(entry.target);
      entry.target.append(sparkline(entry.target.dataset.spark));
    }
  }, { rootMargin: "400px" }) : null;

  function sparkCell(one) {
    const cell = element("td", { "data-spark": one.spark });
    if (drawer) drawer.observe(cell); else cell.append(sparkline(one.spark));
    return cell;
  }

  const columns = [
    { title: "Case", key: (one) => [one.op, one.variant, one.dtype, one.size].join(" "), cell: caseCell },
    { title: "Time", number: true, key: (one) => one.mean, cell: timeCell },
    { title: "Trend", cell: sparkCell },
    { title: "Change", key: (one) => (one.net === null ? 1 : one.net), cell: changeCell },
    { title: "Of roofline", number: true, wide: true, key: (one) => one.bound, cell: (one) => number(one.bound === null ? "-" : assay.digits(one.bound, 3) + "%", true) },
    { title: "Over best baseline", number: true, wide: true, key: (one) => one.speedup, cell: (one) => number(one.speedup === null ? "-" : one.speedup.toFixed(2) + "x", true) },
    { title: "Status", wide: true, key: (one) => one.status, cell: statusCell },
  ];

  function number(text, wide) { return element("td", { class: wide ? "number wide-only" : "number" }, text); }
  function caseCell(one) {
    const details = [one.dtype, one.size, one.math === "ieee" ? "" : one.math, one.mode === "cold" ? "" : one.mode, one.method].filter(Boolean).join(" \u00b7 ");
    return element("th", { scope: "row", class: "case" }, linkTo(one, `${one.op} ${one.variant}`), element("small", null, details),
      site.cards.length > 1 || site.cards[one.card][2] === "cpu" ? element("small", null, assay.cardName(one.card)) : null);
  }
  // On a phone, where there is no column for it, the time's cell also holds a status that is worth a word.
  function timeCell(one) {
    const cell = number(assay.time(one.mean));
    if (one.status !== "o") cell.append(element("small", { class: "narrow-only missing" }, assay.statusText[one.status]));
    if (one.low !== null && one.high !== null && one.mean)
      cell.append(element("small", { class: "muted block" }, "\u00b1" + (((one.high - one.low) / 2 / one.mean) * 100).toFixed(1) + "%"));
    return cell;
  }
  function changeCell(one) {
    const cell = element("td");
    if (one.net === null) return cell;
    const last = one.changes[one.changes.length - 1];
    cell.append(assay.changeMark(one.net), element("small", { class: "muted block" }, "at ", element("code", null, assay.shortHash(last[0]))));
    if (last[2]) cell.append(assay.movedNote());
    return cell;
  }
  function statusCell(one) {
    return element("td", { class: "status wide-only" }, assay.statusText[one.status],
      one.commit === site.commits.length - 1 ? null : element("small", { class: "muted block" }, "of ", element("code", null, assay.shortHash(one.commit))),
      one.reason ? element("small", { class: "reason" }, one.reason) : null);
  }

  const body = element("tbody");
  let sorted = { column: null, down: false };

  function headerCell(column) {
    const cell = element("th", { scope: "col", class: [column.number ? "number" : "", column.wide ? "wide-only" : ""].join(" ").trim() || null });
    if (!column.key) { cell.append(column.title); return cell; }
    const arrow = element("span", { "aria-hidden": "true" });
    cell.append(element("button", { type: "button", on: { click: () => sortBy(column) } }, column.title, arrow));
    column.header = cell;
    column.arrow = arrow;
    return cell;
  }

  function sortBy(column) {
    sorted = { column, down: sorted.column === column ? !sorted.down : false };
    for (const other of columns) {
      if (!other.header) continue;
      if (other === column) other.header.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else other.header.removeAttribute("aria-sort");
      other.arrow.textContent = other === column ? (sorted.down ? " \u2193" : " \u2191") : "";
    }
    const value = (one) => column.key(one);
    const sign = sorted.down ? -1 : 1;
    const order = [...cases].sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1; // what is not known comes last
      return x < y ? -sign : x > y ? sign : 0;
    });
    body.append(...order.map((one) => one.row));
  }

  const fields = [
    { name: "op", label: "Op", options: assay.anyOf(cases.map((one) => one.op)) },
    { name: "variant", label: "Variant", options: assay.anyOf(cases.map((one) => one.variant)) },
    { name: "dtype", label: "Dtype", options: assay.anyOf(cases.map((one) => one.dtype)) },
    { name: "size", label: "Size", options: assay.anyOf(cases.map((one) => one.size)) },
    { name: "card", label: "Card", options: [["", "all"], ...site.cards.map(([slug], index) => [slug, assay.cardName(index)])] },
    ...assay.methodFields(cases),
    { name: "status", label: "Status", options: [["", "all"], ...Object.entries(assay.statusText)] },
    { name: "kind", label: "Kind", options: assay.kinds, initial: "variant" },
    { name: "trend", label: "Trend", options: [["", "all"], ["slower", "slower"], ["faster", "faster"], ["steady", "steady"]] },
    { name: "span", label: "Changes within", options: assay.spans, initial: "30" },
    { name: "text", label: "Name contains" },
  ];

  function matches(one, state) {
    return (!state.op || one.op === state.op) && (!state.variant || one.variant === state.variant) &&
      (!state.dtype || one.dtype === state.dtype) && (!state.size || one.size === state.size) &&
      (!state.card || site.cards[one.card][0] === state.card) && (!state.status || one.status === state.status) &&
      (!state.kind || one.kind === state.kind) && assay.hasMethod(one, state.method) && (!state.trend || assay.trendOf(one.net) === state.trend) &&
      (!state.text || [one.op, one.variant, one.dtype, one.size].join(".").includes(state.text.trim()));
  }

  let shownSpan = null;
  function apply(state) {
    if (state.span !== shownSpan) {
      shownSpan = state.span;
      showChanges(state.span);
      for (const one of cases) {
        one.net = assay.netChange(one.changes, state.span);
        const cell = changeCell(one);
        if (one.row) one.row.replaceChild(cell, one.row.children[3]);
      }
    }
    let shown = 0;
    for (const one of cases) {
      if (!one.row) {
        one.row = element("tr", null, ...columns.map((column) => column.cell(one)));
        body.append(one.row);
      }
      one.row.hidden = !matches(one, state);
      shown += !one.row.hidden;
    }
    const totals = { slower: 0, faster: 0 };
    for (const one of cases) if (!one.row.hidden && assay.trendOf(one.net) in totals) totals[assay.trendOf(one.net)]++;
    byId("shown").textContent = `${shown} of ${cases.length} trends shown, ${totals.slower} slower and ${totals.faster} faster.`;
    const changed = fields.filter((field) => state[field.name] !== (field.initial || ""));
    assay.writeState(Object.fromEntries(changed.map((field) => [field.name, state[field.name]])));
  }

  showFacts();
  const filters = assay.makeFilters(byId("filters"), fields, assay.readState(), apply);
  apply(filters.read());
  byId("cases").append(element("div", { class: "scroll", role: "region", "aria-label": "Cases", tabindex: "0" },
    element("table", { class: "cases" }, element("caption", null, "The newest result of each case; headers sort"),
      element("thead", null, element("tr", null, ...columns.map(headerCell))), body)));
  assay.done();
})();
