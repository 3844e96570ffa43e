// The first page: the best kernel of each op, dtype and card beside its best baseline, one row each. Details are behind the links.
"use strict";
(function () {
  const { element, site } = assay;
  const byId = (id) => document.getElementById(id);
  const BASELINE = assay.kinds[1][0], SPAN = "30"; // commits that count as recent

  // Rows of data/overview.js that have a cold time by the usual method, as objects.
  const cases = [];
  for (const group of assay.overview) {
    const page = site.ops.find(([name]) => name === group.op)[1];
    for (const [variant, dtype, size, kind, mode, math, method, , card, status, commit, mean, , , , speedup, , changes] of group.rows)
      cases.push({ op: group.op, page, variant, dtype, size, kind, mode, math, method, card, status, commit, mean, speedup, changes });
  }
  const timed = cases.filter((one) => one.mode === "cold" && !one.method && one.mean !== null && (one.status === "o" || one.status === "u"));

  // Lists of items by a key, in the order of their first appearance.
  function groupBy(items, key) {
    const groups = new Map();
    for (const one of items) {
      const name = key(one);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(one);
    }
    return [...groups.values()];
  }

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  // As in a report: a time at the most sizes, then the least mean.
  function chooseBest(kernels) {
    return groupBy(kernels, (one) => one.variant + " " + one.math)
      .sort((a, b) => b.length - a.length || mean(a.map((one) => one.mean)) - mean(b.map((one) => one.mean)))[0];
  }

  const fastest = (items) => items.reduce((best, one) => (!best || one.mean < best.mean ? one : best), null);

  // One row: the best kernel at its longest size, and the fastest baseline with its math mode there.
  function describe(group) {
    const kernels = chooseBest(group.filter((one) => one.kind === "variant"));
    if (!kernels) return null;
    const own = kernels.reduce((a, b) => (b.mean > a.mean ? b : a));
    const baseline = fastest(group.filter((one) => one.kind === BASELINE && one.size === own.size && one.math === own.math && one.status === "o"));
    const ratios = kernels.map((one) => one.speedup).filter((ratio) => ratio !== null);
    return { own, baseline, sizes: ratios.length, overall: ratios.length ? Math.exp(mean(ratios.map(Math.log))) : null,
      net: assay.netChange(own.changes, SPAN) };
  }

  const linkTo = (one, text) => element("a", { href: one.page + "#" + new URLSearchParams({
    card: site.cards[one.card][0], kind: one.kind, mode: one.mode, case: assay.trendKey(one),
  }) }, text);
  const number = (text, wide) => element("td", { class: wide ? "number wide-only" : "number" }, text);
  const ratioText = (ratio) => (ratio === null ? "-" : (ratio < 1 ? Math.floor(ratio * 100) / 100 : ratio).toFixed(2) + "x");

  function row({ own, baseline, overall, net }) {
    const math = own.math === "ieee" ? "" : " " + own.math;
    return element("tr", { "data-op": own.op },
      element("th", { scope: "row" }, element("a", { href: own.page }, own.op),
        site.cards.length > 1 || site.cards[own.card][2] === "cpu" ? element("small", { class: "block" }, assay.cardName(own.card)) : null),
      element("td", null, own.dtype + math), element("td", null, linkTo(own, own.variant)), element("td", { class: "wide-only" }, own.size),
      number(assay.time(own.mean)),
      element("td", { class: "wide-only" }, baseline ? linkTo(baseline, baseline.variant.replace(/^baseline_/, "")) : element("span", { class: "muted" }, "none")),
      number(baseline ? assay.time(baseline.mean) : "-", true),
      number(ratioText(own.speedup)), number(ratioText(overall), true),
      element("td", null, net === null ? element("span", { class: "muted" }, "steady") : assay.changeMark(net)));
  }

  function showFacts() {
    const newest = site.commits.length - 1;
    const names = new Set(cases.map((one) => [one.op, one.variant, one.dtype, one.size, one.math, one.card].join(" ")));
    const facts = [[site.ops.length, "op"], [names.size, "case"], [site.commits.length, "commit"], [site.cards.length, "card model"]]
      .map(([count, what]) => `${count} ${what}${count === 1 ? "" : "s"}`).join(", ");
    byId("facts").append(facts + "; newest commit ", assay.commitLink(newest), ` of ${assay.day(site.commits[newest][1])}.`);
  }

  // How many kernels became slower or faster lately, each number a link to them.
  function showRecent() {
    const nets = cases.filter((one) => one.kind === "variant").map((one) => assay.trendOf(assay.netChange(one.changes, SPAN)));
    const parts = ["slower", "faster"].map((trend) => [nets.filter((net) => net === trend).length, trend]).filter(([count]) => count)
      .map(([count, trend]) => element("a", { class: trend, href: "cases.html#trend=" + trend }, `${count} ${trend}`));
    byId("recent").append(`Cases of kernels within the last ${SPAN} commits: `, ...(parts.length ? parts.flatMap((part, i) => (i ? [", ", part] : [part])) : ["none changed"]), ".");
  }

  showFacts();
  showRecent();
  const dtypes = assay.distinct(timed.map((one) => one.dtype)), ops = site.ops.map(([name]) => name);
  const rows = groupBy(timed, (one) => [one.op, one.dtype, one.card, one.math].join(" ")).map(describe).filter(Boolean)
    .sort((a, b) => ops.indexOf(a.own.op) - ops.indexOf(b.own.op) || dtypes.indexOf(a.own.dtype) - dtypes.indexOf(b.own.dtype));
  const heads = [["Op"], ["Dtype"], ["Best kernel"], ["Size", "wide-only"], ["Time", "number"], ["Best baseline", "wide-only"], ["Its time", "number wide-only"], ["Speedup", "number"],
    ["All sizes", "number wide-only"], ["Change"]];
  byId("best-note").textContent = rows.length ? "Cold times at the longest size of each kernel. The speedup there, and the geometric mean over all sizes." : "No kernel has a cold time.";
  if (rows.length)
    byId("best").append(element("div", { class: "scroll", role: "region", "aria-label": "Best kernels", tabindex: "0" }, element("table", { class: "best" },
      element("thead", null, element("tr", null, ...heads.map(([text, cls]) => element("th", { scope: "col", class: cls }, text)))),
      element("tbody", null, ...rows.map(row)))));
  assay.done();
})();
