// What all pages share: making elements, formatting, filters kept in the address, and marks of changes. Data scripts put
// their objects into `assay`; text from data only ever becomes text nodes.
"use strict";
const assay = {};

(function () {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
    }
    node.append(...(children || []).filter((child) => child !== null && child !== undefined));
    return node;
  }
  assay.element = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  assay.svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

  assay.digits = (value, digits) => {
    if (value === null || value === undefined) return "-";
    const text = Number(value.toPrecision(digits || 4));
    return Math.abs(text) >= 1000 ? text.toFixed(0) : Number(text).toPrecision(digits || 4);
  };
  // Microseconds in the unit that keeps the number short.
  assay.time = (us) => {
    if (us === null || us === undefined) return "-";
    if (us >= 1e6) return assay.digits(us / 1e6) + " s";
    return us >= 1e4 ? assay.digits(us / 1e3) + " ms" : assay.digits(us) + " \u00b5s";
  };
  assay.interval = (low, high) => {
    if (low === null || high === null) return "-";
    const [first, unit] = assay.time(low).split(" "), second = assay.time(high);
    return (second.endsWith(" " + unit) ? first : first + " " + unit) + " to " + second;
  };
  assay.percent = (ratio) => (ratio >= 1 ? "+" : "\u2212") + Math.abs((ratio - 1) * 100).toFixed(1) + "%";
  assay.day = (seconds) => (seconds ? new Date(seconds * 1000).toISOString().slice(0, 10) : "");
  assay.statusText = { o: "ok", u: "unstable", n: "not timed", x: "unavailable" };

  // Times of the CPU device are labelled as such wherever they appear.
  assay.cardName = (index) => assay.site.cards[index][1] + (assay.site.cards[index][2] === "cpu" ? " (CPU device)" : "");

  assay.shortHash = (index) => assay.site.commits[index][0].slice(0, 9);
  assay.commitLink = (index) => {
    const hash = assay.site.commits[index][0];
    const code = assay.element("code", null, hash.slice(0, 9));
    if (!assay.site.commitUrl || !/^[0-9a-f]{7,}$/.test(hash)) return code;
    return assay.element("a", { href: assay.site.commitUrl + hash }, code);
  };

  // A change in words and a sign, so that it is not told by colour alone.
  assay.changeMark = (ratio) => {
    if (Math.abs(ratio - 1) < 0.01) return assay.element("span", { class: "muted" }, "changed and back");
    const slower = ratio >= 1;
    return assay.element("span", { class: slower ? "slower" : "faster" },
      (slower ? "\u25b2 " : "\u25bc ") + assay.percent(ratio) + (slower ? " slower" : " faster"));
  };

  // What tells a trend from the others of its op, card and mode. One by the usual method needs no word for it.
  assay.trendKey = (one) => [one.variant, one.dtype, one.size, one.math].concat(one.method || []).join(".");
  assay.trendName = (one) => [one.variant, one.dtype, one.size].join(" ") + (one.method ? ` (${one.method})` : "");

  // A filter for how it was measured, where that differs; [] otherwise.
  const USUAL = "usual";
  assay.methodFields = (items) => {
    const methods = [...new Set(items.map((one) => one.method || USUAL))].sort((a, b) => (b === USUAL) - (a === USUAL) || (a < b ? -1 : 1));
    return methods.length < 2 ? [] : [{ name: "method", label: "Method", options: [["", "all"], ...methods.map((method) => [method, method])] }];
  };
  assay.hasMethod = (one, wanted) => !wanted || (one.method || USUAL) === wanted;

  // Where another card or driver came with a change, it may be the cause and not the kernel.
  assay.movedNote = () => assay.element("small", { class: "muted block" }, "with another card or driver");

  // Filters kept behind "#" in the address, so that a view can be linked to.
  assay.readState = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  assay.writeState = (state) => {
    const kept = Object.entries(state).filter(([, value]) => value !== "" && value !== undefined);
    const hash = "#" + new URLSearchParams(kept);
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    try { history.replaceState(null, "", hash); } catch (refused) { location.hash = hash; }
  };

  // Selects from [{name, label, options: [[value, text]]}], with `search` a text field; `changed` gets the state.
  assay.makeFilters = (form, fields, state, changed) => {
    const controls = {};
    const read = () => Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value]));
    const update = () => changed(read());
    for (const field of fields) {
      const control = field.options
        ? assay.element("select", { name: field.name }, ...field.options.map(([value, text]) => assay.element("option", { value }, text)))
        : assay.element("input", { name: field.name, type: "search", autocomplete: "off", placeholder: field.placeholder });
      const wanted = state[field.name] !== undefined ? state[field.name] : field.initial;
      if (wanted !== undefined) control.value = wanted;
      if (field.options && control.selectedIndex < 0) control.selectedIndex = 0;
      controls[field.name] = control;
      form.append(assay.element("label", null, field.label, control));
    }
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(assay.element("button", { type: "button", on: { click: () => {
      for (const field of fields) {
        if (field.options) controls[field.name].value = field.initial !== undefined ? field.initial : field.options[0][0];
        else controls[field.name].value = "";
      }
      update();
    } } }, "Reset"));
    return { read, controls };
  };

  // Values in the order of their first appearance, except that known size words go from small to large.
  const ORDER = ["small", "medium", "large", "xlarge", "edge", "f32", "f16", "bf16"];
  assay.distinct = (items) => [...new Set(items)].sort((a, b) => {
    const i = ORDER.indexOf(a), j = ORDER.indexOf(b);
    return i >= 0 && j >= 0 ? i - j : i >= 0 ? -1 : j >= 0 ? 1 : a < b ? -1 : a > b ? 1 : 0;
  });
  assay.anyOf = (items) => [["", "all"], ...assay.distinct(items).map((item) => [item, item])];
  assay.kinds = [["variant", "kernels"], ["baseline", "baselines"], ["unranked baseline", "copy baselines"], ["", "all"]];
  assay.spans = [["10", "last 10 commits"], ["30", "last 30 commits"], ["100", "last 100 commits"], ["all", "all commits"]];

  // Ratio of all changes among the last `span` commits, or null if there are none; changes are [commit, ratio].
  assay.netChange = (changes, span) => {
    const first = span === "all" ? 0 : assay.site.commits.length - Number(span);
    const recent = changes.filter(([commit]) => commit >= first);
    return recent.length ? recent.reduce((product, [, ratio]) => product * ratio, 1) : null;
  };
  assay.trendOf = (net) => (net === null || Math.abs(net - 1) < 0.01 ? "steady" : net > 1 ? "slower" : "faster");

  // Errors are shown on the page, and counted where a test finds them.
  window.addEventListener("error", (event) => {
    document.body.dataset.error = event.message;
    const main = document.getElementById("main");
    if (main) main.prepend(assay.element("p", { class: "notice", role: "alert" }, "This page could not be filled: " + event.message));
  });
  // The time from the page's start to a filled and laid out page.
  assay.done = () => {
    document.body.getBoundingClientRect();
    document.body.dataset.readyMs = Math.round(performance.now());
  };
})();
