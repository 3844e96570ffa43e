// Checks of the dashboard's pages in a real browser: opens ?page= in a frame ?width= wide, runs the checks of ?checks=, and
// writes a line each, "ok ..." or "FAIL ...", and "done" at the end. browser_test.sh reads the lines from the dumped page.
"use strict";
const wanted = new URLSearchParams(location.search);
const frame = document.getElementById("page");
const report = document.getElementById("report");
const say = (line) => report.append(line + "\n");
const check = (what, truth, seen) => say(truth ? "ok " + what : `FAIL ${what}${seen === undefined ? "" : ": " + seen}`);
const equal = (what, value, expected) => check(what, value === expected, `${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`);
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
// What is drawn when it comes near the screen waits for a frame, which a busy machine may give late.
const drawn = async (selector) => {
  for (let tries = 0; tries < 40 && !find(selector); tries++) await rest(200);
};

const page = () => frame.contentDocument;
const find = (selector) => page().querySelector(selector);
const all = (selector) => [...page().querySelectorAll(selector)];
function choose(name, value) {
  const control = find(`[name="${name}"]`);
  control.value = value;
  control.dispatchEvent(new frame.contentWindow.Event("input", { bubbles: true }));
}
function press(target, key) {
  const event = new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
}
const visibleRows = () => all("table.cases tbody tr").filter((row) => !row.hidden);

// ---- what holds for every page ----------------------------------------------------------------------------------------

function nameOf(node) {
  const labelled = node.getAttribute("aria-labelledby");
  return (node.getAttribute("aria-label") || (labelled && page().getElementById(labelled) && page().getElementById(labelled).textContent) ||
    node.textContent || (node.labels && node.labels.length && node.labels[0].textContent) || node.getAttribute("alt") || "").trim();
}

function channel(value) { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }
function luminance([r, g, b]) { return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); }
function parseColor(text) { return (text.match(/[\d.]+/g) || []).map(Number); }
function backgroundOf(node) {
  for (let at = node; at; at = at.parentElement) {
    const color = parseColor(frame.contentWindow.getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
}
// The lowest contrast of any text on the page with what is behind it (WCAG 2.2, 1.4.3 asks for 4.5).
function lowestContrast() {
  let worst = [99, ""];
  for (const node of all("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.getClientRects().length || ["SCRIPT", "OPTION", "NOSCRIPT"].includes(node.tagName)) continue;
    const style = frame.contentWindow.getComputedStyle(node);
    const color = parseColor(node instanceof frame.contentWindow.SVGElement ? style.fill : style.color);
    const a = luminance(color), b = luminance(backgroundOf(node)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, `${node.tagName} "${node.textContent.slice(0, 30)}"`];
  }
  return worst;
}

function everyPage() {
  equal("no script error", page().body.dataset.error, undefined);
  const wide = page().documentElement.scrollWidth;
  check("nothing wider than the screen", wide <= frame.clientWidth, `${wide} of ${frame.clientWidth}`);
  equal("one h1", all("h1").length, 1);
  const levels = all("h1,h2,h3,h4").map((node) => Number(node.tagName[1]));
  check("no heading level is left out", levels.every((level, i) => i === 0 || level <= levels[i - 1] + 1), levels.join(""));
  equal("language is said", page().documentElement.lang, "en");
  check("title is there", page().title.length > 3, page().title);
  const nameless = all("a[href],button,select,input,[tabindex='0'],img,[role]").filter((node) => !nameOf(node) && node.getAttribute("role") !== "status");
  check("everything to operate has a name", nameless.length === 0, nameless.map((node) => node.outerHTML.slice(0, 80)).join(" "));
  const headless = all("th").filter((node) => !node.getAttribute("scope"));
  check("table headers have scopes", headless.length === 0, headless.length);
  const ids = all("[id]").map((node) => node.id);
  check("ids are unique", new Set(ids).size === ids.length, ids.join(" "));
  const foreign = all("[src],link[href]").map((node) => node.src || node.href).filter((url) => !/^(file|data):/.test(url));
  check("nothing is loaded from elsewhere", foreign.length === 0, foreign.join(" "));
  const [contrast, where] = lowestContrast();
  check("contrast is at least 4.5", contrast >= 4.5, `${contrast.toFixed(2)} at ${where}`);
}

// ---- the pages --------------------------------------------------------------------------------------------------------

const checks = { everyPage };

// One row an op and dtype, with the best kernel and the best baseline, and links to the rest.
checks.best = async () => {
  check("facts", find("#facts").textContent.startsWith("4 ops, 336 cases, 50 commits, 1 card model"), find("#facts").textContent);
  const rows = all("table.best tbody tr"), texts = rows.map((row) => row.textContent);
  equal("a row an op and dtype", rows.length, 4 * 3);
  check("all have a kernel and a time", texts.every((text) => /v\d_\w+/.test(text) && /\d (\u00b5s|ms)/.test(text)), texts.join("|"));
  check("most have a baseline and a speedup", texts.filter((text) => /torch_\w+/.test(text) && /\d\.\d\dx/.test(text)).length >= 9, texts.join("|"));
  check("nothing is undefined", texts.every((text) => !/NaN|undefined|null/.test(text)), texts.join("|"));
  equal("those that got slower", find("#recent a.slower").textContent, "63 slower");
  check("lead to the cases", find("#recent a.slower").getAttribute("href") === "cases.html#trend=slower");
  check("a kernel leads to its trend", /^op-\w+\.html#.*case=/.test(rows[0].querySelector("td a").getAttribute("href")), rows[0].innerHTML);
  everyPage();
};

checks.overview = async () => {
  check("facts", find("#facts").textContent.startsWith("4 ops, 336 cases, 50 commits, 1 card model"), find("#facts").textContent);
  equal("kernels at first", visibleRows().length, 4 * 60);
  choose("kind", "");
  equal("all kinds", visibleRows().length, 4 * 84);
  choose("op", "conv2d");
  equal("one op", visibleRows().length, 84);
  choose("status", "n");
  equal("not timed", visibleRows().length, 3);
  check("reason is text", visibleRows()[0].textContent.includes('<b>fail</b> & "no"'), visibleRows()[0].textContent);
  check("filters are in the address", /op=conv2d/.test(frame.contentWindow.location.hash) && /status=n/.test(frame.contentWindow.location.hash), frame.contentWindow.location.hash);
  find("#filters button").click();
  equal("reset", visibleRows().length, 4 * 60);
  choose("dtype", "f16");
  choose("size", "large");
  choose("variant", "v4_optimized");
  equal("dtype, size and variant", visibleRows().length, 4);
  choose("card", "made-up-gpu");
  equal("card", visibleRows().length, 4);
  find("#filters button").click();
  choose("trend", "slower");
  equal("slower within 30 commits", visibleRows().length, 63);
  choose("trend", "faster");
  equal("faster within 30 commits", visibleRows().length, 2);
  check("change is told in words", /9\.\d% faster/.test(visibleRows()[0].textContent), visibleRows()[0].textContent);
  find("#filters button").click();
  choose("text", "gelu.v3");
  equal("name", visibleRows().length, 12);
  find("#filters button").click();
  const header = all("table.cases thead th")[1];
  header.querySelector("button").click();
  equal("sorted", header.getAttribute("aria-sort"), "ascending");
  equal("what has no time comes last", visibleRows()[visibleRows().length - 1].textContent.includes("not timed"), true);
  header.querySelector("button").click();
  equal("sorted the other way", header.getAttribute("aria-sort"), "descending");
  check("largest first", visibleRows()[0].textContent.includes("v1_baseline") && visibleRows()[0].textContent.includes("xlarge"), visibleRows()[0].textContent);
  await drawn(".spark path");
  check("sparklines", all(".spark path").length > 0 && all(".spark path").every((path) => !/NaN|undefined/.test(path.getAttribute("d"))), all(".spark path").length);
  const changes = all("table.changes tbody tr");
  equal("commits with changes", changes.length, 6);
  check("layernorm's commit", changes.some((row) => /60 slower/.test(row.textContent)), changes.map((row) => row.textContent).join("|"));
  const moved = changes.filter((row) => row.textContent.includes("another card or driver"));
  check("a change with another driver says so", moved.length === 1 && moved[0].textContent.includes("add v3_coalesced f16 large"), moved.length);
  choose("span", "all");
  equal("commits with changes ever", all("table.changes tbody tr").length, 7);
  everyPage();
};

checks.op = async () => {
  equal("trends of kernels", all("figure.trend").length, 60);
  check("charts near the screen are drawn", all(".line").length >= 3, all(".line").length);
  check("paths hold numbers", all(".plot path").every((path) => !/NaN|undefined/.test(path.getAttribute("d"))));
  choose("variant", "v3_coalesced");
  choose("dtype", "f32");
  choose("size", "small");
  choose("span", "all");
  await rest(100);
  equal("one trend", all("figure.trend").length, 1);
  equal("both changes are marked", all("figure.trend .change-slower, figure.trend .change-faster").length, 2);
  check("levels", all("figure.trend .level").length === 3, all("figure.trend .level").length);
  check("net change", find("figcaption").textContent.includes("changed and back"), find("figcaption").textContent);
  const slider = find("figure.trend [role=slider]"), before = slider.getAttribute("aria-valuetext");
  slider.focus();
  press(slider, "ArrowLeft");
  equal("arrow key moves the cursor", slider.getAttribute("aria-valuenow"), "48");
  check("the point is told", slider.getAttribute("aria-valuetext") !== before && find(".readout").textContent === slider.getAttribute("aria-valuetext"), find(".readout").textContent);
  press(slider, "Home");
  equal("first commit", slider.getAttribute("aria-valuenow"), "0");
  find("figure.trend button").click();
  await rest(50);
  check("details are shown", !find("#detail").hidden && page().activeElement === find("#detail"));
  equal("a row a commit", all("#detail table:not(.static) tbody tr").length, 50);
  equal("changes in the table", all("#detail tbody .slower, #detail tbody .faster").length, 2);
  equal("resources", all("#detail table.static tbody tr").length, 4);
  equal("driver's change in the table", all("#detail tbody small").filter((node) => node.textContent.includes("driver changed")).length, 1);
  check("case is in the address", frame.contentWindow.location.hash.includes("case=v3_coalesced.f32.small.ieee"), frame.contentWindow.location.hash);
  everyPage();
  all("#detail button").pop().click();
  check("details are closed and the focus is back", find("#detail").hidden && page().activeElement.textContent === "Details");
  choose("kind", "baseline");
  choose("variant", "");
  choose("dtype", "bf16");
  await rest(100);
  check("a baseline without times", find("figcaption").textContent.includes("unavailable"), find("figcaption").textContent);
  equal("all cards' links", all(".chips a[aria-current=page]").length, 1);
};

// Opened with #case= of a case: its details are there at once.
checks.linked = async () => {
  check("details", !find("#detail").hidden && find("#detail h3").textContent.startsWith("v4_optimized bf16 large"), find("#detail").textContent.slice(0, 60));
  equal("change", all("#detail .change-slower").length, 1);
  everyPage();
};

// ---- a history of one op that was measured in four ways ---------------------------------------------------------------

// And the usual one, which has no words. An earlier method goes on with its versions.
const methods = ["flush by reading", "earlier method", "clock locked at 1500 MHz"];
const wholeMethod = (method) => [...find("[name=method]").options].map((option) => option.value).find((value) => value.startsWith(method)) || method;

checks.overviewOfMethods = async () => {
  check("a case counts once", find("#facts").textContent.startsWith("1 op, 84 cases, 40 commits"), find("#facts").textContent);
  equal("a row a method", visibleRows().length, 4 * 60);
  for (const method of methods) equal(method, visibleRows().filter((row) => row.textContent.includes(method)).length, 60);
  check("no change between methods", find("#changes-note").textContent.startsWith("No kernel"), find("#changes-note").textContent);
  choose("method", "usual");
  equal("the usual method alone", visibleRows().length, 60);
  check("and without a word", !methods.some((method) => visibleRows().some((row) => row.textContent.includes(method))));
  choose("method", "flush by reading");
  equal("one other method", visibleRows().filter((row) => row.textContent.includes("flush by reading")).length, 60);
  const link = decodeURIComponent(visibleRows()[0].querySelector("a").href).replaceAll("+", " ");
  check("the link leads to that trend", link.includes(".flush by reading"), link);
  everyPage();
};

checks.opOfMethods = async () => {
  choose("variant", "v1_baseline");
  choose("dtype", "f32");
  choose("size", "small");
  choose("span", "all");
  await rest(100);
  const titles = all("figure.trend figcaption strong").map((node) => node.textContent).sort();
  equal("a trend a method", titles.join("|"), ["v1_baseline", ...methods.map((method) => "v1_baseline \u00b7 " + wholeMethod(method))].sort().join("|"));
  equal("no changes", all("figure.trend .change-slower, figure.trend .change-faster").length, 0);
  choose("method", wholeMethod("earlier method"));
  await rest(100);
  equal("one of them", all("figure.trend").length, 1);
  find("figure.trend button").click();
  await rest(50);
  equal("its results", all("#detail table:not(.static) tbody tr").length, 20);
  check("its method is told", find("#detail .muted").textContent.includes("cold time, earlier method"), find("#detail .muted").textContent);
  choose("method", "");
  choose("mode", "hot");
  await rest(100);
  equal("of hot times a flush is no other method", all("figure.trend").length, 3);
  everyPage();
};

// Opened with #case= of a case by a method that is not the usual.
checks.linkedMethod = async () => {
  check("details", !find("#detail").hidden && find("#detail").textContent.includes("earlier method"), find("#detail").textContent.slice(0, 90));
  equal("its results", all("#detail table:not(.static) tbody tr").length, 20);
  everyPage();
};

checks.dark = async () => {
  const back = luminance(parseColor(frame.contentWindow.getComputedStyle(page().body).backgroundColor));
  check("the page is dark", back < 0.05, back);
  everyPage();
};

frame.style.width = (wanted.get("width") || "1280") + "px";
frame.style.height = "2000px";
frame.onload = async () => {
  try {
    await rest(300);
    await checks[wanted.get("checks")]();
  } catch (error) {
    say("FAIL the check itself: " + error.stack.replace(/\n/g, " "));
  }
  say("done");
};
frame.src = wanted.get("page") + decodeURIComponent(wanted.get("hash") || "");
