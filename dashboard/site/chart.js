// A trend as SVG: mean with interval over commits, levels between change points, and a cursor that pointer and arrow keys move.
"use strict";
(function () {
  const { svg } = assay;
  const margin = { left: 54, right: 10, top: 20, bottom: 20 };

  // Round tick values within [low, high], and the decimals that tell them apart.
  function ticks(low, high, wanted) {
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999);
    const values = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) values.push(value);
    return { values, decimals: Math.max(0, -Math.floor(Math.log10(step * 1.001))) };
  }

  // The range of the axis: all means, intervals as far as they are not absurd, and at least 6% so that noise looks like noise.
  function range(series) {
    const means = series.mean.filter((value) => value !== null);
    if (!means.length) return null;
    let low = Math.min(...means), high = Math.max(...means);
    const span = Math.max(high - low, 0.06 * high);
    series.low.forEach((value) => { if (value !== null) low = Math.min(low, Math.max(value, low - span)); });
    series.high.forEach((value) => { if (value !== null) high = Math.max(high, Math.min(value, high + span)); });
    const middle = (low + high) / 2, half = Math.max((high - low) / 2, 0.03 * middle) * 1.08;
    return [Math.max(0, middle - half), middle + half];
  }

  function bandPath(series, x, y) {
    let path = "", upper = [], lower = [];
    const close = () => {
      if (upper.length > 1) path += "M" + upper.join("L") + "L" + lower.reverse().join("L") + "Z";
      upper = []; lower = [];
    };
    series.mean.forEach((mean, i) => {
      if (mean === null || series.low[i] === null || series.high[i] === null) { close(); return; }
      upper.push(`${x(i)} ${y(series.high[i])}`);
      lower.push(`${x(i)} ${y(series.low[i])}`);
    });
    close();
    return path;
  }

  function linePath(series, x, y) {
    let path = "", drawn = false;
    series.mean.forEach((mean, i) => {
      if (mean === null) { drawn = false; return; }
      path += `${drawn ? "L" : "M"}${x(i)} ${y(mean)}`;
      drawn = true;
    });
    return path;
  }

  function drawAxes(root, series, box, y, span) {
    const unit = span[1] >= 1e6 ? [1e6, "s"] : span[1] >= 1e4 ? [1e3, "ms"] : [1, "\u00b5s"];
    const { values, decimals } = ticks(span[0] / unit[0], span[1] / unit[0], box.height > 200 ? 7 : 4);
    for (const value of values) {
      const at = y(value * unit[0]);
      root.append(svg("line", { class: "gridline", x1: margin.left, x2: box.width - margin.right, y1: at, y2: at }),
        svg("text", { x: margin.left - 6, y: Number(at) + 4, "text-anchor": "end" }, value.toFixed(decimals)));
    }
    root.append(svg("text", { x: 2, y: 12 }, unit[1]));
    const commits = series.commit, first = commits[0], last = commits[commits.length - 1];
    root.append(svg("text", { x: margin.left, y: box.height - 4 }, assay.day(assay.site.commits[first][1])),
      svg("text", { x: box.width - margin.right, y: box.height - 4, "text-anchor": "end" }, last === first ? "" : assay.day(assay.site.commits[last][1])));
  }

  // Dashed levels between the changes, and a line and a sign where one begins.
  function drawChanges(root, series, box, x, y) {
    const changes = series.changes;
    changes.forEach(([index, before, after], i) => {
      const from = i ? changes[i - 1][0] : 0, to = i + 1 < changes.length ? changes[i + 1][0] - 1 : series.mean.length - 1;
      if (i === 0) root.append(svg("path", { class: "level", d: `M${x(from)} ${y(before)}H${x(index - 1)}` }));
      root.append(svg("path", { class: "level", d: `M${x(index)} ${y(after)}H${x(to)}` }));
      const kind = after >= before ? "slower" : "faster", at = Number(x(index));
      const right = at > box.width - 90;
      root.append(svg("line", { class: "change-" + kind, x1: at, x2: at, y1: margin.top - 4, y2: box.height - margin.bottom }),
        svg("text", { class: "label-" + kind, x: at + (right ? 4 : -4), y: 12, "text-anchor": right ? "end" : "start" },
          (kind === "slower" ? "\u25b2" : "\u25bc") + assay.percent(after / before)));
    });
  }

  function drawPoints(root, series, box, x, y, dots) {
    series.status.split("").forEach((status, i) => {
      const mean = series.mean[i], at = x(i);
      if (mean === null) {
        const low = box.height - margin.bottom - 6;
        root.append(svg("path", { class: "cross", d: `M${at - 3} ${low - 3}l6 6m0 -6l-6 6` }));
      } else if (status === "u" || series.dirty[i]) {
        root.append(svg("circle", { class: "hollow", cx: at, cy: y(mean), r: 3 }));
      } else if (dots || series.mean.length === 1) {
        root.append(svg("circle", { class: "dot", cx: at, cy: y(mean), r: series.mean.length === 1 ? 3.5 : 2.2 }));
      }
    });
  }

  // What a reader is told of point i.
  assay.pointText = (series, i) => {
    const commit = assay.site.commits[series.commit[i]];
    const time = series.mean[i] === null ? assay.statusText[series.status[i]] : assay.time(series.mean[i]) +
      (series.low[i] === null ? "" : ` (${assay.interval(series.low[i], series.high[i])})`) +
      (series.status[i] === "u" ? ", unstable" : "") + (series.dirty[i] ? ", uncommitted changes" : "");
    return `${commit[0].slice(0, 9)} ${assay.day(commit[1])}: ${time}${commit[2] ? " \u2013 " + commit[2] : ""}`;
  };

  // Draw `series` into `holder`, which becomes a slider over its commits; `told` gets the text of the point at the cursor.
  assay.drawTrend = (holder, series, options) => {
    const box = { width: Math.max(260, Math.round(holder.clientWidth || 320)), height: options.height };
    const span = range(series);
    const root = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, "aria-hidden": "true" });
    holder.replaceChildren(root);
    if (!span) {
      root.append(svg("text", { x: 8, y: 24 }, "no times"));
      return;
    }
    const first = options.commits[0], range0 = Math.max(1, options.commits[1] - first);
    const x = (i) => (margin.left + 4 + ((series.commit[i] - first) / range0) * (box.width - margin.left - margin.right - 8)).toFixed(1);
    const y = (value) => {
      const clipped = Math.min(Math.max(value, span[0]), span[1]);
      return (box.height - margin.bottom - ((clipped - span[0]) / (span[1] - span[0])) * (box.height - margin.top - margin.bottom)).toFixed(1);
    };
    drawAxes(root, series, box, y, span);
    root.append(svg("path", { class: "band", d: bandPath(series, x, y) }), svg("path", { class: "line", d: linePath(series, x, y) }));
    drawChanges(root, series, box, x, y);
    drawPoints(root, series, box, x, y, options.dots);
    addCursor(holder, root, series, box, x, y, options);
  };

  function addCursor(holder, root, series, box, x, y, options) {
    const line = svg("line", { class: "cursor", y1: margin.top - 4, y2: box.height - margin.bottom, visibility: "hidden" });
    const dot = svg("circle", { class: "dot", r: 4, visibility: "hidden" });
    root.append(line, dot);
    const last = series.commit.length - 1;
    let at = last;
    const show = (i, visible) => {
      at = Math.max(0, Math.min(last, i));
      const text = assay.pointText(series, at);
      for (const name of ["x1", "x2"]) line.setAttribute(name, x(at));
      dot.setAttribute("cx", x(at));
      dot.setAttribute("cy", series.mean[at] === null ? -9 : y(series.mean[at]));
      line.setAttribute("visibility", visible ? "visible" : "hidden");
      dot.setAttribute("visibility", visible ? "visible" : "hidden");
      holder.setAttribute("aria-valuenow", at);
      holder.setAttribute("aria-valuetext", text);
      options.told(text);
    };
    for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": options.label + ": result of commit",
      "aria-valuemin": 0, "aria-valuemax": last })) holder.setAttribute(name, value);
    show(last, false);
    holder.onpointermove = (event) => {
      const frame = root.getBoundingClientRect(), wanted = ((event.clientX - frame.left) / frame.width) * box.width;
      let nearest = 0;
      for (let i = 1; i <= last; i++) if (Math.abs(x(i) - wanted) < Math.abs(x(nearest) - wanted)) nearest = i;
      show(nearest, true);
    };
    holder.onpointerdown = holder.onpointermove;
    holder.onpointerleave = (event) => { if (event.pointerType === "mouse") show(last, false); };
    holder.onfocus = () => show(at, true);
    holder.onblur = () => show(at, false);
    holder.onkeydown = (event) => {
      const moves = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last, PageUp: at + 10, PageDown: at - 10 };
      if (!(event.key in moves)) return;
      event.preventDefault();
      show(moves[event.key], true);
    };
  }
})();
